import type {
  Answer,
  BoundLimit,
  Decided,
  Engine,
  Question,
  Reading,
} from '../../limiter/src/core/engine.ts';

/** What a job is done with: by one process of many, or by one caller of many in a process. */
export type JobContext = {
  readonly engine: Engine;
  readonly random: () => number;
  readonly seed: number;
};

const inFlightMax = 64;
export const raceTenant = { id: 'race' };

export type Asking = Pick<Question, 'idempotency' | 'reserve'> & {
  readonly at: number;
  readonly limits: readonly BoundLimit[];
};

export function ask(context: JobContext, tenant: string, { at, ...asked }: Asking) {
  const question = { id: idOf(context, at), peek: false, ...asked };
  return answerTo(context.engine, tenant, question);
}

export async function answerTo(
  engine: Engine,
  tenant: string,
  question: Question,
): Promise<Answer> {
  const result = await engine.decide({ tenant: { id: tenant }, questions: [question] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (!answer) throw new Error(`not answered: ${result.kind}`);
  return answer;
}

export function idOf({ seed }: JobContext, at: number): string {
  return `q-${process.pid}-${seed}-${at}`;
}

export function decidedOf(answer: Answer): Decided {
  if (answer.kind !== 'decided') throw new Error(`not decided: ${answer.kind}`);
  return answer;
}

/** All that a caller is told, alike for the first who asks and for those who ask again. */
export function wholeText({ replayOf, readings, ...answer }: Decided, askedId: string): string {
  return JSON.stringify({ id: replayOf ?? askedId, ...answer, readings: readings.map(plain) });
}

/** An engine may answer with more than the port says. */
function plain({ verdict, state, held, heldUntilUs, blockedUntilUs }: Reading): Reading {
  return { verdict, state, held, heldUntilUs, blockedUntilUs };
}

/** Calls `step` with 0, 1, 2, … keeping a fixed number of them open until all are done. */
export async function inFlight(total: number, step: (at: number) => Promise<void>): Promise<void> {
  let started = 0;
  const lane = async () => {
    while (started < total) {
      const at = started;
      started += 1;
      await step(at);
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, lane));
}
