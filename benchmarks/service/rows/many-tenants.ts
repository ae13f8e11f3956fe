import { median } from '../../measure.ts';
import { singleBodies } from '../bodies.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Server } from '../process.ts';
import type { Rig } from '../rig.ts';
import { lineOf, timesLine, type Line } from '../table.ts';
import { makeTenant, makeTenants } from '../tenants.ts';

const keysEach = 3;

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

  const startMs: { one: number[]; many: number[] } = { one: [], many: [] };
  let nodes: { one: Server; many: Server } | null = null;
  for (let round = 0; round < pace.starts; round += 1) {
    await Promise.all([nodes?.one.stop(), nodes?.many.stop()]);
    const settings = { SLUICE_REDIS_URL: redisUrl };
    nodes = {
      one: await start(databases.one, settings),
      many: await start(databases.many, settings),
    };
    startMs.one.push(nodes.one.startMs);
    startMs.many.push(nodes.many.startMs);
  }
  if (!nodes) throw new Error('nothing was started');

  const { driver } = rig;
  // As many subjects for one tenant as for all: what differs is whose they are.
  const bodies = singleBodies({ count: keys.length });
  const path = '/v1/check';
  await driver.define('one', { port: nodes.one.port, path, keys: [oneKey], bodies });
  await driver.define('many', { port: nodes.many.port, path, keys, bodies });
  await driver.runOnce('one');
  await driver.runOnce('many');
  const seen = await measure(
    driver,
    {
      many: { server: nodes.many, load: 'many', decisions: 1 },
      one: { server: nodes.one, load: 'one', decisions: 1 },
    },
    pace,
  );
  const tenants = `${pace.tenants.toLocaleString('en-US')} tenants with ${keysEach} keys each`;
  const ratio = median(startMs.many.map((ms, round) => ms / (startMs.one[round] ?? ms)));
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
