import { singleBodies } from '../bodies.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeTenant } from '../tenants.ts';

/** Row c: what `npm start` serves, with nothing installed, beside a route that does nothing. */
export async function measureEmbedded(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const node = await rig.sluice();
  const quiet = await rig.sluice({ SLUICE_CHECK_LOG: 'none' });
  const bodies = singleBodies();
  const { driver } = rig;
  const key = await makeTenant(node);
  const quietKey = await makeTenant(quiet);
  const bare = await rig.bare(node, { key, body: bodies[0] ?? '' });
  const load = { path: '/v1/check', bodies };
  await driver.define('node', { ...load, port: node.port, keys: [key] });
  await driver.define('quiet', { ...load, port: quiet.port, keys: [quietKey] });
  await driver.define('bare', { ...load, port: bare.port, keys: [key] });
  await driver.runOnce('node');
  await driver.runOnce('quiet');
  const seen = await measure(
    driver,
    {
      node: { server: node, load: 'node', decisions: 1 },
      quiet: { server: quiet, load: 'quiet', decisions: 1 },
      bare: { server: bare, load: 'bare', decisions: 1 },
    },
    pace,
  );
  const said = { row: 'c', against: 'bare route', baseline: seen.bare };
  return [
    lineOf({ ...said, what: '/v1/check embedded', atLeast: 0.8, subject: seen.node }),
    lineOf({ ...said, what: 'the same without check log', atLeast: null, subject: seen.quiet }),
  ];
}
