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

/**
 * Who is asked for by the same object again and again is told by that, without a look at it: nothing of
 * a hundred thousand tenants is in any cache. All others are told by their ids.
 */
type TenantMark = NonNullable<TenantRef['notes']> | string;

function markOf({ id, notes }: TenantRef): TenantMark {
  return notes ?? id;
}

/** One call, and who waits for its answers: mostly one, which then is all there is of it. */
class Joined implements Waiting {
  readonly call: DecideCall;
  readonly questions: readonly Question[];
  readonly resolve: Waiting['resolve'];
  readonly reject: Waiting['reject'];
  /** Tells its tenant from others. */
  readonly tenant: TenantMark;
  more: Waiting[] | null = null;
  /** Of the same tenant, seen otherwise. */
  next: Joined | null = null;

  constructor(call: DecideCall, { questions, resolve, reject }: Waiting) {
    this.call = call;
    this.tenant = markOf(call.tenant);
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
 * there when the turn ends, goes. As many tenants as fit into one go do not wait for that: the server
 * decides them while this process reads what others ask.
 */
export class Coalescer {
  readonly #engine: Pick<Engine, 'decide' | 'decideAll'>;
  /** What goes next: of each tenant its first call, which leads to its others. */
  #firsts: Joined[] = [];
  #endsTurn = false;

  constructor(engine: Pick<Engine, 'decide' | 'decideAll'>) {
    this.#engine = engine;
  }

  decide(call: DecideCall): Promise<DecideResult> {
    return new Promise((resolve, reject) => {
      this.#join(call, { questions: call.questions, resolve, reject });
      if (this.#firsts.length >= questionsPerCallMax) this.#send();
      else this.#sendWithTurn();
    });
  }

  /** After everything that this turn has to read: a tick would end with the first connection. */
  #sendWithTurn(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    setImmediate(() => {
      this.#endsTurn = false;
      this.#send();
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
    const group = new Joined(call, waiting);
    if (last) last.next = group;
    else this.#firsts.push(group);
  }

  /**
   * They are few. Nothing is written to what lives longer than the turn, though a tenant could keep it:
   * the next collection of the young would look at every tenant that was asked for.
   */
  #firstOf(tenant: TenantRef): Joined | null {
    const mark = markOf(tenant);
    for (const first of this.#firsts) if (first.tenant === mark) return first;
    return null;
  }

  #send(): void {
    const firsts = this.#firsts;
    this.#firsts = [];
    const calls: Joined[] = [];
    for (const first of firsts) {
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
  return Array.from(parts, (part) => {
    const [first, ...more] = part as readonly [Waiting, ...Waiting[]];
    // A list that is large by itself goes as it is.
    const questions = more.length === 0 ? first.questions : part.flatMap((one) => one.questions);
    const joined = new Joined({ ...group.call, questions }, first);
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
