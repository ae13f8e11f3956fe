import { join } from 'node:path';
import { openDatabase } from '../../../platform/src/database/index.ts';
import { ChildNode } from '../../platform/rig/child-node.ts';
import { baseSettings } from '../../platform/rig/settings.ts';
import { age, see, type Seen } from '../../platform/rollout/rig.ts';

export const watchedTenant = 'Harbor Analytics';
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

/** Three weeks of a limit in shadow, which nobody can wait for before a picture is taken. */
export async function writeHistory(folder: string, programPath: string): Promise<void> {
  const settings = { ...baseSettings, SLUICE_DATA_DIR: folder };
  const node = ChildNode.run([programPath, 'serve'], settings);
  await node.untilServing();
  const { id } = await node.client.makeTenant({ name: watchedTenant, tier: 'business', limits });
  await node.end();
  const database = await openDatabase({ folder: join(folder, 'postgres') });
  try {
    for (let daysAgo = days; daysAgo > 0; daysAgo -= 1) {
      const subjects = subjectsOf(daysAgo);
      await see(database.db, { tenantId: id, name: 'reports', daysAgo, subjects });
    }
    await age(database.db, id, days);
  } finally {
    await database.close();
  }
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
