export { MemoryEngine, type MemoryEngineOptions } from './memory-engine.ts';
export type { MemoryDump } from './dump.ts';
export type { LonePath } from './lone-path.ts';
