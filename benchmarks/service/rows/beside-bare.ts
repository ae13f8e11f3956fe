import { singleBodies } from '../bodies.ts';
import { measureLives } from '../lives.ts';
import { measure } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { makeTenant } from '../tenants.ts';

export type BesideBare = Pick<Line, 'row' | 'what' | 'against'> & {
  readonly atLeast: number;
  /** What each service is told, which has a database of its own, and what the bare route is. */
  readonly settings: () => Promise<Settings>;
  readonly bareSettings: Settings;
};

type Settings = Readonly<Record<string, string>>;

/** A check, with and without its log line, beside a route that decides nothing. */
export async function measureBesideBare(
  rig: Rig,
  pace: ServicePace,
  { settings, bareSettings, ...said }: BesideBare,
): Promise<Line[]> {
  const compared = { subject: 'node', baseline: 'bare' } as const;
  const seen = await measureLives<'node' | 'quiet' | 'bare'>(pace, compared, async () => {
    const node = await rig.sluice(await settings());
    const quiet = await rig.sluice({ ...(await settings()), SLUICE_CHECK_LOG: 'none' });
    const bodies = singleBodies();
    const { driver } = rig;
    const key = await makeTenant(node);
    const quietKey = await makeTenant(quiet);
    const bare = await rig.bare(node, { key, body: bodies[0] ?? '' }, bareSettings);
    const load = { path: '/v1/check', bodies };
    await driver.define('node', { ...load, port: node.port, keys: [key] });
    await driver.define('quiet', { ...load, port: quiet.port, keys: [quietKey] });
    await driver.define('bare', { ...load, port: bare.port, keys: [key] });
    await driver.runOnce('node');
    await driver.runOnce('quiet');
    return rig.ofLife({ node, quiet, bare }, () =>
      measure(
        driver,
        {
          node: { server: node, load: 'node', decisions: 1 },
          quiet: { server: quiet, load: 'quiet', decisions: 1 },
          bare: { server: bare, load: 'bare', decisions: 1 },
        },
        pace,
      ),
    );
  });
  const without = { ...said, what: 'the same without check log', atLeast: null };
  return [
    lineOf({ ...said, subject: seen.node, baseline: seen.bare }),
    lineOf({ ...without, subject: seen.quiet, baseline: seen.bare }),
  ];
}
