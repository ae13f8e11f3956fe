import type { DecideCall, DecideResult, Engine, Question } from '../../core/engine.ts';

type Waiting = {
  readonly questions: readonly Question[];
  readonly resolve: (result: DecideResult) => void;
  readonly reject: (error: unknown) => void;
};

type Group = { readonly call: DecideCall; readonly waiting: Waiting[] };

/**
 * Bounds how long one script keeps the server from everybody else. Few enough that at 64 in flight
 * several scripts are under way: with all in one, client and server would wait for each other.
 */
const questionsPerCallMax = 16;
const limitsPerCallMax = 500;

/**
 * Lets calls for one tenant that are made in one turn of the event loop travel together: one script
 * decides them in order, each on its own, for a fraction of what as many calls cost. Nobody waits
 * for company: what is there when the turn ends, goes.
 */
export class Coalescer {
  readonly #engine: Pick<Engine, 'decide'>;
  #groups = new Map<string, Group>();

  constructor(engine: Pick<Engine, 'decide'>) {
    this.#engine = engine;
  }

  decide(call: DecideCall): Promise<DecideResult> {
    return new Promise((resolve, reject) => {
      // After all promises that this turn settles, and so all checks they lead to.
      if (this.#groups.size === 0) process.nextTick(() => this.#send());
      const id = groupOf(call);
      let group = this.#groups.get(id);
      if (!group) this.#groups.set(id, (group = { call, waiting: [] }));
      group.waiting.push({ questions: call.questions, resolve, reject });
    });
  }

  #send(): void {
    const groups = this.#groups;
    this.#groups = new Map();
    for (const { call, waiting } of groups.values()) {
      for (const together of inParts(waiting)) void this.#ask(call, together);
    }
  }

  async #ask(call: DecideCall, together: readonly Waiting[]): Promise<void> {
    try {
      const questions = together.flatMap((one) => one.questions);
      const result = await this.#engine.decide({ ...call, questions });
      let from = 0;
      for (const { questions: asked, resolve } of together) {
        resolve(partOf(result, from, asked.length));
        from += asked.length;
      }
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }
}

function partOf(result: DecideResult, from: number, count: number): DecideResult {
  if (result.kind !== 'answered') return result;
  return { kind: 'answered', answers: result.answers.slice(from, from + count) };
}

/** What one call says of all its questions. */
function groupOf({ tenant, snapshot }: DecideCall): string {
  const { id, generation = 0 } = tenant;
  if (!snapshot) return `plain ${generation} ${id}`;
  const { epoch, validUntilUs = 0, confirmed = false } = snapshot;
  return `seen ${generation} ${epoch.tenant}.${epoch.shared} ${validUntilUs} ${confirmed} ${id}`;
}

function* inParts(waiting: readonly Waiting[]): Generator<readonly Waiting[]> {
  let part: Waiting[] = [];
  let questions = 0;
  let limits = 0;
  for (const one of waiting) {
    const more = one.questions.reduce((sum, question) => sum + question.limits.length, 0);
    const full =
      questions + one.questions.length > questionsPerCallMax || limits + more > limitsPerCallMax;
    if (full && part.length > 0) {
      yield part;
      part = [];
      questions = 0;
      limits = 0;
    }
    part.push(one);
    questions += one.questions.length;
    limits += more;
  }
  if (part.length > 0) yield part;
}
