import { singleBodies } from '../bodies.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeTenant } from '../tenants.ts';

/** Row a: what a check costs above a route that asks Redis for anything at all. */
export async function measureOnRedis(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const redisUrl = await rig.redisUrl();
  const settings = { SLUICE_REDIS_URL: redisUrl, SLUICE_DATABASE_URL: await rig.databaseUrl() };
  const node = await rig.sluice(settings);
  const quiet = await rig.sluice({ ...settings, SLUICE_CHECK_LOG: 'none' });
  const key = await makeTenant(node);
  const bodies = singleBodies();
  const bare = await rig.bare(node, { key, body: bodies[0] ?? '' }, { REDIS_URL: redisUrl });
  const load = { path: '/v1/check', keys: [key], bodies };
  const { driver } = rig;
  for (const [name, { port }] of Object.entries({ node, quiet, bare })) {
    await driver.define(name, { ...load, port });
  }
  await driver.runOnce('node');
  const seen = await measure(
    driver,
    {
      node: { server: node, load: 'node', decisions: 1 },
      quiet: { server: quiet, load: 'quiet', decisions: 1 },
      bare: { server: bare, load: 'bare', decisions: 1 },
    },
    pace,
  );
  const against = 'bare route with one EVALSHA';
  const said = { row: 'a', against, baseline: seen.bare };
  return [
    lineOf({ ...said, what: '/v1/check on Redis', atLeast: 0.75, subject: seen.node }),
    lineOf({ ...said, what: 'the same without check log', atLeast: null, subject: seen.quiet }),
  ];
}
