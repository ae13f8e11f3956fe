import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { Processes } from '../races/processes.ts';
import { cluster, merged, processCount, usedByTenants } from '../races/running.ts';
import { bound, limitOf } from '../support/limits.ts';
import { campaign, sized } from './rig/campaign.ts';

const checks = sized({ short: 5000, long: 200_000 });
const timeoutMs = 60_000 + checks * 5;
const keyCount = 1000;
const size = 150;

campaign(
  'T02',
  'Eight processes on a Redis Cluster, 1000 keys by Zipf’s law',
  async (report, cleanUp) => {
    const processes = await Processes.start(processCount);
    cleanUp(() => processes.stop());
    const window = { limit: size, window: '1 day', align: 'first_request' } as const;
    const limit: LimitInput = { algorithm: 'fixed_window', ...window };
    const job = { kind: 'tenants', checks, tenants: keyCount, spread: 'zipf', limit } as const;
    const place = cluster();
    let crossSlot = 0;
    const tallies = await processes.run(place, job, { timeoutMs }).catch((error: unknown) => {
      if (String(error).includes('CROSSSLOT')) crossSlot += 1;
      else throw error;
      return [];
    });
    const admitted = merged(tallies.map((tally) => tally.admitted));
    const asked = merged(tallies.map((tally) => tally.asked));
    // One process that asks in any order is let in as often: there is nothing to win by racing.
    const alone = ([, calls]: [string, number]) => Math.min(size, calls);
    const keys = [...asked];
    const over = keys.filter((key) => (admitted.get(key[0]) ?? 0) > alone(key)).length;
    const differing = keys.filter((key) => (admitted.get(key[0]) ?? 0) !== alone(key)).length;
    const names = keys.map(([name]) => name);
    const used = await usedByTenants(place, names, bound(limitOf(limit), 0, ['one']));
    const unlike = names.filter((name, at) => used[at] !== (admitted.get(name) ?? 0)).length;
    report.exactly('keys with over-admission', over, 0);
    report.exactly('keys unlike a replay by one process', differing, 0);
    report.exactly('counters unlike what callers saw', unlike, 0);
    report.exactly('CROSSSLOT', crossSlot, 0);
    report.note(`${processCount} × ${checks} calls on ${asked.size} keys`);
  },
  { takesMs: timeoutMs },
);
