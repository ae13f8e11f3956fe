import { median } from '../../measure.ts';
import { singleBodies } from '../bodies.ts';
import { measureLives } from '../lives.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, timesLine, type Line } from '../table.ts';
import { makeTenant, makeTenants } from '../tenants.ts';

const keysEach = 3;
/** How often everything is asked for before what counts. */
const passes = 2;

/** Row d: whether the number of tenants is felt, by a check and by a start. */
export async function measureManyTenants(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const redisUrl = await rig.redisUrl();
  const databases = { one: await rig.databaseUrl(), many: await rig.databaseUrl() };
  const start = (databaseUrl: string, settings: Readonly<Record<string, string>>) =>
    rig.sluice({ SLUICE_DATABASE_URL: databaseUrl, ...settings });

  const first = { one: await start(databases.one, {}), many: await start(databases.many, {}) };
  const oneKey = await makeTenant(first.one);
  const keys = await makeTenants(first.many, databases.many, { tenants: pace.tenants, keysEach });
  await Promise.all([first.one.stop(), first.many.stop()]);

  // As many subjects for one tenant as for all: what differs is whose they are.
  const load = { path: '/v1/check', bodies: singleBodies({ count: keys.length }) };
  const startMs = { one: [] as number[], many: [] as number[] };
  const compared = { subject: 'many', baseline: 'one' } as const;
  const seen = await measureLives<'many' | 'one'>(pace, compared, async () => {
    const settings = { SLUICE_REDIS_URL: redisUrl };
    const nodes = {
      one: await start(databases.one, settings),
      many: await start(databases.many, settings),
    };
    startMs.one.push(nodes.one.startMs);
    startMs.many.push(nodes.many.startMs);
    const { driver } = rig;
    await driver.define('one', { ...load, port: nodes.one.port, keys: [oneKey] });
    await driver.define('many', { ...load, port: nodes.many.port, keys });
    // A key's first call looks it up; only those after it go the way that is measured. The one tenant's
    // node has gone that way for all of them but one, the other for none: so all is asked for again.
    for (let pass = 1; pass <= passes; pass += 1) {
      await driver.runOnce('one');
      await driver.runOnce('many');
    }
    return rig.ofLife(nodes, () =>
      measure(
        driver,
        {
          many: { server: nodes.many, load: 'many', decisions: 1 },
          one: { server: nodes.one, load: 'one', decisions: 1 },
        },
        pace,
      ),
    );
  });

  const tenants = `${pace.tenants.toLocaleString('en-US')} tenants with ${keysEach} keys each`;
  const ratio = median(startMs.many.map((ms, life) => ms / (startMs.one[life] ?? ms)));
  return [
    lineOf({
      row: 'd',
      what: `${tenants}, on Redis`,
      against: 'one tenant',
      atLeast: 0.9,
      subject: seen.many,
      baseline: seen.one,
    }),
    timesLine(
      { row: 'd', what: `start with ${tenants}`, against: 'start with one', ratio },
      { subjectMs: median(startMs.many), baselineMs: median(startMs.one) },
    ),
  ];
}
