export { MemoryEngine, type MemoryEngineOptions } from './memory-engine.ts';
export type { MemoryDump } from './dump.ts';
