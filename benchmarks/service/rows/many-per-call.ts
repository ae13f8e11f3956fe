import { batchBodies, singleBodies } from '../bodies.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeTenant } from '../tenants.ts';

const checksPerCall = 50;

/** Row b: what is saved by asking many things at once. */
export async function measureManyPerCall(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const node = await rig.sluice({
    SLUICE_REDIS_URL: await rig.redisUrl(),
    SLUICE_DATABASE_URL: await rig.databaseUrl(),
  });
  const keys = [await makeTenant(node)];
  const { driver } = rig;
  const { port } = node;
  await driver.define('one', { port, path: '/v1/check', keys, bodies: singleBodies() });
  await driver.define('many', {
    port,
    path: '/v1/checks',
    keys,
    bodies: batchBodies(checksPerCall),
  });
  await driver.runOnce('many');
  const seen = await measure(
    driver,
    {
      many: { server: node, load: 'many', decisions: checksPerCall },
      one: { server: node, load: 'one', decisions: 1 },
    },
    pace,
  );
  return [
    lineOf({
      row: 'b',
      what: `/v1/checks with ${checksPerCall} per call, decisions`,
      against: '/v1/check',
      atLeast: 8,
      subject: seen.many,
      baseline: seen.one,
    }),
  ];
}
