import type { DecideCall, DecideResult, Engine, Question } from '../../core/engine.ts';
import { inParts, type PartSize } from './in-parts.ts';

type Waiting = {
  readonly questions: readonly Question[];
  readonly resolve: (result: DecideResult) => void;
  readonly reject: (error: unknown) => void;
};

/** `next` is of the same tenant, seen otherwise. */
type Group = { readonly call: DecideCall; readonly waiting: Waiting[]; next: Group | undefined };

/**
 * Bounds how long one script keeps the server from everybody else. Few enough that at 64 in flight
 * several scripts are under way: with all in one, client and server would wait for each other.
 */
const questionsPerCallMax = 16;
const limitsPerCallMax = 500;
const callMax: PartSize = [questionsPerCallMax, limitsPerCallMax];

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
      // After everything that this turn has to read: a tick would end with the first connection.
      if (this.#groups.size === 0) setImmediate(() => this.#send());
      this.#groupOf(call).waiting.push({ questions: call.questions, resolve, reject });
    });
  }

  #groupOf(call: DecideCall): Group {
    const { id } = call.tenant;
    const first = this.#groups.get(id);
    let group = first;
    while (group && !isAskedAlike(group.call, call)) group = group.next;
    if (group) return group;
    group = { call, waiting: [], next: first };
    this.#groups.set(id, group);
    return group;
  }

  #send(): void {
    const groups = this.#groups;
    this.#groups = new Map();
    for (const first of groups.values()) {
      for (let group: Group | undefined = first; group; group = group.next) {
        for (const together of inParts(group.waiting, callMax, sizeOf)) {
          void this.#ask(group.call, together);
        }
      }
    }
  }

  async #ask(call: DecideCall, together: readonly Waiting[]): Promise<void> {
    try {
      const [only] = together;
      if (only && together.length === 1) {
        const isWhole = call.questions === only.questions;
        const asked = isWhole ? call : { ...call, questions: only.questions };
        return only.resolve(await this.#engine.decide(asked));
      }
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

/** Whether both say the same of their questions, but for the tenant's id. */
function isAskedAlike(a: DecideCall, b: DecideCall): boolean {
  if ((a.tenant.generation ?? 0) !== (b.tenant.generation ?? 0)) return false;
  if (!a.snapshot || !b.snapshot) return a.snapshot === b.snapshot;
  return (
    a.snapshot.epoch.tenant === b.snapshot.epoch.tenant &&
    a.snapshot.epoch.shared === b.snapshot.epoch.shared &&
    a.snapshot.validUntilUs === b.snapshot.validUntilUs &&
    (a.snapshot.confirmed ?? false) === (b.snapshot.confirmed ?? false)
  );
}

function sizeOf({ questions }: Waiting): PartSize {
  return [questions.length, questions.reduce((sum, { limits }) => sum + limits.length, 0)];
}
