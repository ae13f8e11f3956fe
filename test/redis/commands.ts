// The Redis commands that a user of the limiter's own needs, for `ACL SETUSER … +command …`. The
// documentation quotes them from here; least-privilege.test.ts holds the scripts to them.

/** All that the engine needs. What ioredis sends by itself on connecting is not among it. */
export const engineCommands = [
  'append',
  'eval',
  'evalsha',
  'exists',
  'get',
  'getrange',
  'hgetall',
  'hincrby',
  'incrby',
  'pexpire',
  'psetex',
  'pttl',
  'rename',
  'set',
  'setrange',
  'strlen',
  'time',
  'unlink',
  'zadd',
  'zcount',
  'zrange',
  'zrangebyscore',
  'zrem',
  'zremrangebyscore',
  'zscore',
] as const;

/** What ioredis sends by itself on connecting; without a ready check it needs no `info`. */
export const clientCommands = ['hello', 'info'] as const;
