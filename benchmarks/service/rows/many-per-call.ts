import { batchBodies, singleBodies } from '../bodies.ts';
import { measureLives } from '../lives.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeTenant } from '../tenants.ts';

const checksPerCall = 50;

/** Row b: what is saved by asking many things at once. */
export async function measureManyPerCall(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const compared = { subject: 'many', baseline: 'one' } as const;
  const seen = await measureLives<'many' | 'one'>(pace, compared, async () => {
    const node = await rig.sluice({
      SLUICE_REDIS_URL: await rig.redisUrl(),
      SLUICE_DATABASE_URL: await rig.databaseUrl(),
    });
    const load = { port: node.port, keys: [await makeTenant(node)] };
    const { driver } = rig;
    await driver.define('one', { ...load, path: '/v1/check', bodies: singleBodies() });
    await driver.define('many', {
      ...load,
      path: '/v1/checks',
      bodies: batchBodies(checksPerCall),
    });
    await driver.runOnce('many');
    return rig.ofLife({ node }, () =>
      measure(
        driver,
        {
          many: { server: node, load: 'many', decisions: checksPerCall },
          one: { server: node, load: 'one', decisions: 1 },
        },
        pace,
      ),
    );
  });
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
