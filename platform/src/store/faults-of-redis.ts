import { connect, openConnection } from './redis-connection.ts';
import { StartUpChecks } from './start-up-checks.ts';

/**
 * What makes the Redis at this address unsafe to count in, in words for the operator. One that can't
 * be asked right now has no faults that we know of: it is looked at when it comes.
 */
export async function faultsOfRedis(url: string): Promise<readonly string[]> {
  const redis = openConnection(url);
  const ignored = () => {};
  redis.on('error', ignored);
  try {
    if (!(await connect(redis, ignored))) return [];
    const checks = new StartUpChecks(redis, ignored);
    await checks.look().catch(ignored);
    return checks.faults;
  } finally {
    redis.disconnect();
  }
}
