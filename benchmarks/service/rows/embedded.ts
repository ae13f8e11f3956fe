import type { ServicePace } from '../options.ts';
import type { Rig } from '../rig.ts';
import type { Line } from '../table.ts';
import { measureBesideBare } from './beside-bare.ts';

/** Row c: what `npm start` serves, with nothing installed, beside a route that does nothing. */
export function measureEmbedded(rig: Rig, pace: ServicePace): Promise<Line[]> {
  return measureBesideBare(rig, pace, {
    row: 'c',
    what: '/v1/check embedded',
    against: 'bare route',
    atLeast: 0.8,
    settings: async () => ({}),
    bareSettings: {},
  });
}
