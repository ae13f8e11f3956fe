import { join } from 'node:path';
import type { LedgerCount } from '../../../limiter/src/core/engine.ts';
import { openDatabase } from '../../../platform/src/database/index.ts';
import { ChildNode } from '../../platform/rig/child-node.ts';
import { baseSettings } from '../../platform/rig/settings.ts';
import { writeCounts } from './counted.ts';
import { age, see, type Seen } from '../../platform/rollout/rig.ts';

export const watchedTenant = 'Harbor Analytics';
export const searchTenant = 'Acme Search';
const days = 21;

const limits = [
  {
    name: 'reports',
    algorithm: 'fixed_window',
    limit: 120,
    window_seconds: 60,
    per: ['tenant', 'subject'],
    mode: 'shadow',
  },
];

/** What nobody can wait for before a picture is taken: weeks of a limit in shadow, and of calls. */
export async function writeHistory(folder: string, programPath: string): Promise<void> {
  const settings = { ...baseSettings, SLUICE_DATA_DIR: folder };
  const node = ChildNode.run([programPath, 'serve'], settings);
  await node.untilServing();
  const watched = await node.client.makeTenant({ name: watchedTenant, tier: 'business', limits });
  const fields = { name: searchTenant, tier: 'business', timezone: 'Europe/Berlin' };
  const search = await node.client.change('POST', 'tenants', fields);
  await node.end();
  const database = await openDatabase({ folder: join(folder, 'postgres') });
  try {
    for (let daysAgo = days; daysAgo > 0; daysAgo -= 1) {
      const subjects = subjectsOf(daysAgo);
      await see(database.db, { tenantId: watched.id, name: 'reports', daysAgo, subjects });
    }
    await age(database.db, watched.id, days);
    await writeCounts(database.db, search.id, weekOfSearches());
  } finally {
    await database.close();
  }
}

/** How the calls of an hour are shared out among resources. */
const resources = [
  { name: 'POST:/search', share: 0.52 },
  { name: 'GET:/documents/{id}', share: 0.31 },
  { name: 'POST:/export', share: 0.06 },
  { name: '*', share: 0.11 },
];

const limitsOfSearch = 'burst,search-per-minute,tokens-per-day';

/** Busy by day, less at weekends; where too many search at once, some are refused. */
function weekOfSearches(): LedgerCount[] {
  const thisHour = Math.floor(Date.now() / 3_600_000);
  return Array.from({ length: 7 * 24 }, (_, ago) => thisHour - ago).flatMap((hour) => {
    const asked = askedIn(hour);
    return resources.flatMap(({ name, share }) => {
      const own = Math.round(asked * share);
      const blocked = name === 'POST:/search' ? Math.max(0, own - 2900) : 0;
      const warned = Math.round((own - blocked) * 0.06);
      const of = (outcome: LedgerCount['outcome'], count: number, names: string) =>
        count > 0 ? [{ minute: hour * 60, outcome, label: `${name} ${names}`, count }] : [];
      return [
        ...of('allowed', own - blocked - warned, limitsOfSearch),
        ...of('warned', warned, limitsOfSearch),
        ...of('would_block', warned, 'tokens-per-day'),
        ...of('blocked', blocked, 'search-per-minute'),
      ];
    });
  });
}

function askedIn(hour: number): number {
  const date = new Date(hour * 3_600_000);
  const tide = Math.sin(((date.getUTCHours() - 8) / 24) * 2 * Math.PI);
  const isWeekend = date.getUTCDay() % 6 === 0;
  const ripple = Math.sin(hour * 1.7) + Math.sin(hour * 2.9) + Math.sin(hour * 0.31);
  return (isWeekend ? 1800 : 3600) * (1 + 0.7 * tide) + 170 * ripple + 500;
}

/** A hundred and sixty people, fewer at weekends; four of them ask for more than others. */
function subjectsOf(daysAgo: number): Seen['subjects'] {
  const crowd = daysAgo % 7 < 2 ? 90 : 160;
  return Object.fromEntries(
    Array.from({ length: crowd }, (_, at) => {
      const peak = 30 + ((at * 37 + daysAgo * 11) % 80);
      const isGreedy = at % 40 === 7 && (at + daysAgo) % 3 !== 0;
      const most = isGreedy ? 122 + ((at + daysAgo * 5) % 60) : peak;
      const calls = most * 6;
      return [`user:${4000 + at * 7}`, [calls, isGreedy ? (most - 120) * 4 : 0, most]] as const;
    }),
  );
}
