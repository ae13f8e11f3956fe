import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import type { Line } from '../table.ts';
import { measureBesideBare } from './beside-bare.ts';

/** Row a: what a check costs above a route that asks Redis for anything at all. */
export async function measureOnRedis(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const redisUrl = await rig.redisUrl();
  return measureBesideBare(rig, pace, {
    row: 'a',
    what: '/v1/check on Redis',
    against: 'bare route with one EVALSHA',
    atLeast: 0.75,
    settings: async () => ({
      SLUICE_REDIS_URL: redisUrl,
      SLUICE_DATABASE_URL: await rig.databaseUrl(),
    }),
    bareSettings: { REDIS_URL: redisUrl },
  });
}
