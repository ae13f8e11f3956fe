import type { Redis } from 'ioredis';

const key = 'sl1:{start-up}:';
/** Where nodes keep what they know of tenants and keys for each other. */
const cacheKey = 'sl1c:start-up';

/**
 * Every command that the service sends or its scripts call, as it would be used. `docs/redis.md`
 * says them to operators; test/redis holds both to what is really called.
 */
const needed: readonly (readonly string[])[] = [
  ['evalsha', 'sha', '1', key],
  ['eval', 'text', '1', key],
  ['time'],
  ['get', key],
  ['set', key, ''],
  ['get', cacheKey],
  ['set', cacheKey, ''],
  ['psetex', key, '1', ''],
  ['pexpire', key, '1'],
  ['pttl', key],
  ['exists', key],
  ['unlink', key],
  ['rename', key, key],
  ['incrby', key, '1'],
  ['strlen', key],
  ['getrange', key, '0', '0'],
  ['setrange', key, '0', ''],
  ['append', key, ''],
  ['hset', key, 'a', ''],
  ['hvals', key],
  ['hgetall', key],
  ['hincrby', key, 'a', '1'],
  ['zadd', key, '1', 'a'],
  ['zrem', key, 'a'],
  ['zscore', key, 'a'],
  ['zcount', key, '0', '0'],
  ['zrange', key, '0', '0'],
  ['zrangebyscore', key, '0', '0'],
  ['zremrangebyscore', key, '0', '0'],
  ['multi'],
  ['exec'],
  ['ping'],
];

/** A cluster's clients ask who has which slots, and follow a slot that is being moved. */
const neededOfCluster: readonly (readonly string[])[] = [
  ['cluster', 'slots'],
  ['cluster', 'info'],
  ['readonly'],
  ['readwrite'],
  ['asking'],
];

/** Asks the server itself, of whoever is logged in. Writes nothing, so that a replica runs it too. */
const script = `#!lua flags=no-writes
local denied = {}
for _, command in ipairs(cjson.decode(ARGV[1])) do
  if not redis.acl_check_cmd(unpack(command)) then
    denied[#denied + 1] = command[1]
  end
end
return denied`;

/** By name, as in `ACL SETUSER … +name`. Without `info`, which is useful but not needed. */
export function neededCommands(isCluster: boolean): readonly string[] {
  const names = [...needed, ...(isCluster ? neededOfCluster : [])].map(([name = '', sub]) =>
    name === 'cluster' ? `${name}|${sub}` : name,
  );
  return [...new Set(names)];
}

/** The names of those that this user may not use on our keys; null when the server can't say. */
export async function deniedCommands(
  server: Redis,
  isCluster: boolean,
): Promise<readonly string[] | null> {
  const asked = [...needed, ...(isCluster ? neededOfCluster : [])];
  try {
    const denied: unknown = await server.eval(script, 0, JSON.stringify(asked));
    return Array.isArray(denied) ? [...new Set(denied.map(String))] : null;
  } catch (error) {
    return error instanceof Error && error.message.startsWith('NOPERM') ? ['eval'] : null;
  }
}
