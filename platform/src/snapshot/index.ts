export { Feed } from './feed.ts';
export { KeyRing } from './key-ring.ts';
export { SourceReader } from './read-source.ts';
export type { Resolution, Rules } from './rules.ts';
export type { Snapshot } from './snapshot.ts';
export { Snapshots } from './snapshots.ts';
export { SourceCache } from './source-cache.ts';
export type { KeySource } from './source.ts';
export { Trust } from './trust.ts';
