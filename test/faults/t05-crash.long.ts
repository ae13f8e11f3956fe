import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { Processes } from '../races/processes.ts';
import { processCount, single, usedOf } from '../races/running.ts';
import { bound, limitOf } from '../support/limits.ts';
import { campaign, sized } from './rig/campaign.ts';

const forMs = sized({ short: 3000, long: 60_000 });
const killEveryMs = 1000;
const timeoutMs = 60_000;
/** So many that there are places left while processes die. */
const size = forMs * 4;
const limit: LimitInput = { algorithm: 'fixed_window', limit: size, window: '365 days' };

campaign(
  'T05',
  'A process killed every second, and another in its place',
  async (report, cleanUp) => {
    const processes = await Processes.start(processCount);
    cleanUp(() => processes.stop());
    const target = single();
    const over = new AbortController();
    const told = { heard: 0, refused: 0 };
    let kills = 0;
    /** Where a process died, another comes: nobody is told what the dead one was let in for. */
    const coming = new Map<number, Promise<unknown>>();
    const lane = async (at: number) => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        await coming.get(at);
        const job = { kind: 'single', checks: 200, limit } as const;
        try {
          const member = processes.at(at);
          await member.prepare(target, job, at * 100_000 + turn);
          const { admitted } = await member.go<typeof job>(timeoutMs);
          told.heard += admitted;
          told.refused += job.checks - admitted;
        } catch (error) {
          if (!processes.at(at).isDead && !coming.has(at)) throw error;
        }
      }
    };
    const lanes = Array.from({ length: processCount }, (_, at) => lane(at));
    const endMs = performance.now() + forMs;
    while (performance.now() < endMs) {
      await sleep(killEveryMs);
      const at = kills % processCount;
      // On a busy machine another may take longer to come than the next kill.
      await coming.get(at);
      kills += 1;
      coming.set(
        at,
        processes.replace(at).finally(() => coming.delete(at)),
      );
    }
    await Promise.all(coming.values());
    // Until there is no place left, so that all of them can be counted.
    while (told.refused === 0) await sleep(20);
    over.abort();
    await Promise.all(lanes);
    const { heard, refused } = told;
    const [used = 0] = await usedOf(target, [bound(limitOf(limit), 0, ['one'])]);
    report.exactly('over-admission', Math.max(0, used - size, heard - size), 0);
    // Every place was taken: what the dead were let in for is what the living did not hear of.
    report.exactly('places that nobody got', size - used, 0);
    report.atLeast('calls refused', refused, 1);
    report.note(`${kills} kills of ${processCount} processes; ${used - heard} let in by the dead`);
  },
  { takesMs: 5 * forMs + timeoutMs },
);
