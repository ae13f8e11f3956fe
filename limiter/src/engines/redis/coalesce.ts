import type {
  DecideCall,
  DecideResult,
  Engine,
  Question,
  Tell,
  TenantRef,
} from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { inParts, type PartSize } from './in-parts.ts';

/** Who waits for the answers to these questions. */
type Waiting = {
  readonly questions: readonly Question[];
  readonly resolve: (result: DecideResult) => void;
  readonly reject: (error: unknown) => void;
};

/** One call, and who waits for its answers: mostly one, which then is all there is of it. */
class Joined implements Waiting {
  /** Who has it until it goes. */
  readonly by: Coalescer;
  readonly call: DecideCall;
  readonly questions: readonly Question[];
  readonly resolve: Waiting['resolve'];
  readonly reject: Waiting['reject'];
  more: Waiting[] | null = null;
  /** Of the same tenant, seen otherwise. */
  next: Joined | null = null;

  constructor(by: Coalescer, call: DecideCall, { questions, resolve, reject }: Waiting) {
    this.by = by;
    this.call = call;
    this.questions = questions;
    this.resolve = resolve;
    this.reject = reject;
  }
}

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
  /** What goes when this turn ends: of each tenant its first call, which leads to its others. */
  #firsts: Joined[] = [];
  /** Those of tenants that do not keep it themselves. */
  #named = new Map<string, Joined>();

  constructor(engine: Pick<Engine, 'decide' | 'decideAll'>) {
    this.#engine = engine;
  }

  decide(call: DecideCall): Promise<DecideResult> {
    return new Promise((resolve, reject) => {
      // After everything that this turn has to read: a tick would end with the first connection.
      if (this.#firsts.length === 0) setImmediate(() => this.#send());
      this.#join(call, { questions: call.questions, resolve, reject });
    });
  }

  #join(call: DecideCall, waiting: Waiting): void {
    let last: Joined | null = null;
    for (let group = this.#firstOf(call.tenant); group; group = group.next) {
      if (isAskedAlike(group.call, call)) {
        group.more ??= [];
        group.more.push(waiting);
        return;
      }
      last = group;
    }
    const group = new Joined(this, call, waiting);
    if (last) last.next = group;
    else this.#add(group);
  }

  #firstOf({ id, notes }: TenantRef): Joined | null {
    if (!notes) return this.#named.get(id) ?? null;
    const { asking } = notes;
    return asking instanceof Joined && asking.by === this ? asking : null;
  }

  #add(first: Joined): void {
    const { id, notes } = first.call.tenant;
    if (notes) notes.asking = first;
    else this.#named.set(id, first);
    this.#firsts.push(first);
  }

  #send(): void {
    const firsts = this.#firsts;
    this.#firsts = [];
    // Another one each turn: of one that lives on, old tables would keep what was answered.
    if (this.#named.size > 0) this.#named = new Map();
    const calls: Joined[] = [];
    for (const first of firsts) {
      const { notes } = first.call.tenant;
      // Or what has been answered would stay in memory for as long as its tenant.
      if (notes) notes.asking = null;
      for (let group: Joined | null = first; group; group = group.next) {
        if (group.more) calls.push(...inCalls(group));
        else calls.push(group);
      }
    }
    if (calls.length === 1 || !this.#engine.decideAll) {
      for (const one of calls) void this.#ask(one);
      return;
    }
    for (const part of inParts(calls, callMax, ({ call }) => sizeOf(call))) {
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

/** As few calls as hold all that is asked. */
function inCalls(group: Joined): Joined[] {
  const parts = inParts<Waiting>([group, ...(group.more ?? [])], callMax, sizeOf);
  return Array.from(parts, ([first, ...more]) => {
    const questions = [first as Waiting, ...more].flatMap((one) => one.questions);
    const joined = new Joined(group.by, { ...group.call, questions }, first as Waiting);
    if (more.length > 0) joined.more = more;
    return joined;
  });
}

function fail({ reject, more }: Joined, error: unknown): void {
  reject(error);
  if (more) for (const one of more) one.reject(error);
}

function answer({ questions, resolve, more }: Joined, result: DecideResult): void {
  if (!more) return resolve(result);
  let from = questions.length;
  resolve(partOf(result, 0, from));
  for (const one of more) {
    one.resolve(partOf(result, from, one.questions.length));
    from += one.questions.length;
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
