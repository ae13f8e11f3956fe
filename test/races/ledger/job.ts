import type { JobContext } from '../asking.ts';
import { randomOf } from '../random.ts';
import { Caller } from './caller.ts';
import { openJournal, type Journal } from './journal.ts';
import { ledgerLimits } from './limits.ts';
import { Performer } from './perform.ts';

/** Random steps of many callers, each written down before and after. */
export type LedgerJob = {
  readonly kind: 'ledger';
  readonly steps: number;
  readonly share: number;
  /** When it all began: the limits go by it. */
  readonly nowMs: number;
  readonly seed: number;
  /** How often this process died before. */
  readonly life: number;
  readonly ttlsMs: readonly number[];
  readonly journalPath: string;
};

const callersPerProcess = 12;

export async function keepLedger(job: LedgerJob, context: JobContext): Promise<number> {
  const journal = openJournal(job.journalPath);
  try {
    return await takeSteps(job, context, journal);
  } finally {
    journal.close();
  }
}

export async function takeSteps(
  job: LedgerJob,
  context: JobContext,
  journal: Journal,
): Promise<number> {
  const performer = new Performer(context.engine, ledgerLimits(job.share, job.nowMs));
  let steps = 0;
  const lane = async (at: number) => {
    const name = `${context.seed}.${job.life}.${at}`;
    const random = randomOf(job.seed + context.seed * 10_007 + job.life * 101 + at);
    const caller = new Caller({ name: name.replaceAll('.', '-'), random, ttlsMs: job.ttlsMs });
    while (steps < job.steps) {
      steps += 1;
      const step = steps;
      const next = caller.next();
      journal.write({ step, attempt: next.attempt });
      const performed = await performer.perform(next.attempt, next.first);
      journal.write({ step, outcome: performed.outcome });
      caller.note(next, performed);
      // In memory nothing ever waits: others must be let run.
      if (step % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: callersPerProcess }, (_, at) => lane(at)));
  return steps;
}
