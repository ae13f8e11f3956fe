import { singleBodies } from '../bodies.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeRuledTenant, makeTenant } from '../tenants.ts';

/** Row e: what all the rules of a SaaS cost beside a single limit. */
export async function measureAllRules(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const node = await rig.sluice({
    SLUICE_REDIS_URL: await rig.redisUrl(),
    SLUICE_DATABASE_URL: await rig.databaseUrl(),
  });
  const { driver } = rig;
  const { port } = node;
  const path = '/v1/check';
  await driver.define('one', {
    port,
    path,
    keys: [await makeTenant(node)],
    bodies: singleBodies(),
  });
  const { key, resource, attributes } = await makeRuledTenant(node);
  await driver.define('all', {
    port,
    path,
    keys: [key],
    bodies: singleBodies({ fields: { resource, attributes } }),
  });
  for (const load of ['one', 'all']) await driver.runOnce(load);
  const seen = await measure(
    driver,
    {
      all: { server: node, load: 'all', decisions: 1 },
      one: { server: node, load: 'one', decisions: 1 },
    },
    pace,
  );
  return [
    lineOf({
      row: 'e',
      what: 'four tiers, a quota tree and an override',
      against: 'one token bucket',
      atLeast: 0.35,
      subject: seen.all,
      baseline: seen.one,
    }),
  ];
}
