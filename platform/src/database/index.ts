export { migrate } from './migrate.ts';
export { type Database, type DatabaseOptions, openDatabase } from './open.ts';
export { isFirst, sharedSecret } from './settings.ts';
export type * from './tables.ts';
export { DatabaseStoppedError, isUnavailable } from './unavailable.ts';
