import type { DecideCall, DecideResult, Engine, Question, Tell } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { inParts, type PartSize } from './in-parts.ts';

type Waiting = {
  readonly questions: readonly Question[];
  readonly resolve: (result: DecideResult) => void;
  readonly reject: (error: unknown) => void;
};

/** `next` is of the same tenant, seen otherwise. */
type Group = { readonly call: DecideCall; readonly waiting: Waiting[]; next: Group | undefined };

/** One call, and who waits for its answers. */
type Joined = { readonly call: DecideCall; readonly waiting: readonly Waiting[] };

/**
 * Bounds how long one script keeps the server from everybody else. Few enough that at 64 in flight
 * several scripts are under way: with all in one, client and server would wait for each other.
 */
const questionsPerCallMax = 16;
const limitsPerCallMax = 500;
const callMax: PartSize = [questionsPerCallMax, limitsPerCallMax];

/**
 * Lets calls that are made in one turn of the event loop travel together. Of one tenant they are one
 * call, which decides them in order, each on its own, for a fraction of what as many cost; and calls
 * of several tenants are asked in one go, where the engine can. Nobody waits for company: what is
 * there when the turn ends, goes.
 */
export class Coalescer {
  readonly #engine: Pick<Engine, 'decide' | 'decideAll'>;
  #groups = new Map<string, Group>();

  constructor(engine: Pick<Engine, 'decide' | 'decideAll'>) {
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
    const joined: Joined[] = [];
    for (const first of groups.values()) {
      for (let group: Group | undefined = first; group; group = group.next) join(group, joined);
    }
    if (joined.length === 1 || !this.#engine.decideAll) {
      for (const one of joined) void this.#ask(one);
      return;
    }
    for (const part of inParts(joined, callMax, ({ call }) => sizeOf(call))) {
      if (part.length === 1) void this.#ask(part[0] as Joined);
      else void this.#askAll(part);
    }
  }

  async #ask(one: Joined): Promise<void> {
    try {
      answer(one, await this.#engine.decide(one.call));
    } catch (error) {
      fail(one, error);
    }
  }

  async #askAll(part: readonly Joined[]): Promise<void> {
    const tell: Tell = (at, result) => {
      const one = part[at] as Joined;
      if (result instanceof StoreFailure) fail(one, result);
      else answer(one, result);
    };
    try {
      const calls = part.map(({ call }) => call);
      await this.#engine.decideAll?.(calls, tell);
    } catch (error) {
      // Who was told before stays told.
      for (const one of part) fail(one, error);
    }
  }
}

function fail({ waiting }: Joined, error: unknown): void {
  for (const { reject } of waiting) reject(error);
}

/** As few calls as hold all that is asked. */
function join({ call, waiting }: Group, joined: Joined[]): void {
  if (waiting.length === 1) {
    joined.push({ call, waiting });
    return;
  }
  for (const together of inParts(waiting, callMax, sizeOf)) {
    const questions = together.flatMap((one) => one.questions);
    joined.push({ call: { ...call, questions }, waiting: together });
  }
}

function answer({ waiting }: Joined, result: DecideResult): void {
  const [only] = waiting;
  if (only && waiting.length === 1) return only.resolve(result);
  let from = 0;
  for (const { questions, resolve } of waiting) {
    resolve(partOf(result, from, questions.length));
    from += questions.length;
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

function sizeOf({ questions }: Pick<DecideCall, 'questions'>): PartSize {
  let limits = 0;
  for (const question of questions) limits += question.limits.length;
  return [questions.length, limits];
}
