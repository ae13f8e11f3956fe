/** Thrown where the embedded database is gone; a real one's driver has errors of its own. */
export class DatabaseStoppedError extends Error {
  override readonly name = 'DatabaseStoppedError';
  readonly code = 'DATABASE_STOPPED';
}

const systemCodes = new Set([
  'DATABASE_STOPPED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const sqlStates = [
  /^08/, // connection exceptions
  /^53/, // out of connections, memory or disk
  /^57P/, // shutting down, crashed, starting up, idle for too long
  /^57014$/, // took longer than the time a statement has
  /^58/, // the server's own disk fails
  /^25P03$/, // a transaction that was left idle
  /^25006$/, // a standby: the primary is elsewhere by now
];

// The driver gives these no code.
const driverMessages =
  /^(connection terminated|timeout expired|timeout exceeded when trying to connect|query read timeout|client (has encountered a connection error|was closed) and is not queryable|cannot use a pool after calling end)/i;

const depthMax = 8;

/** Whether the database could not be asked, as opposed to having refused what was asked. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > depthMax) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (systemCodes.has(code)) return true;
  // A socket file that is not there; of anything but connecting, a missing file is no such thing.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  if (sqlStates.some((pattern) => pattern.test(code))) return true;
  if (code === '' && driverMessages.test(error.message)) return true;
  // One error for each address that was tried.
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every((one) => isUnavailable(one, depth + 1));
  }
  return isUnavailable(error.cause, depth + 1);
}
