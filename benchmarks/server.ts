import type { Redis } from 'ioredis';
import { openRedis } from '../test/servers/connect.ts';
import { startRedis } from '../test/servers/redis.ts';
import type { ServerMeter } from './measure.ts';

/** A Redis of our own and two ways to talk to it. */
export type BenchmarkServer = {
  readonly redis: Redis;
  /** The same settings, but commands of one turn of the event loop leave together. */
  readonly pipelined: Redis;
  readonly meter: ServerMeter;
  readonly stop: () => Promise<void>;
};

export async function startServer(): Promise<BenchmarkServer> {
  const server = await startRedis();
  const redis = openRedis(server.url, { autoResendUnfulfilledCommands: false });
  const pipelined = openRedis(server.url, { enableAutoPipelining: true });
  return {
    redis,
    pipelined,
    meter: () => readScriptUs(redis),
    stop: async () => {
      redis.disconnect();
      pipelined.disconnect();
      await server.stop();
    },
  };
}

async function readScriptUs(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  let us = 0;
  for (const [, spent] of stats.matchAll(/^cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/gm)) {
    us += Number(spent);
  }
  return us;
}
