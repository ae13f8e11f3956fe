import type { Reserve } from '../../../limiter/src/core/engine.ts';
import type { Asked, Attempt, Outcome, UnitCosts } from './journal.ts';
import { subjectCount } from './limits.ts';
import type { Performed } from './perform.ts';

type Charge = { readonly asked: Asked; readonly chargedAtUs: number; readonly back: UnitCosts };
type Keyed = { readonly asked: Asked; told: string | null };

/** A step, and what its question was told before. */
export type Next = { readonly attempt: Attempt; readonly first: string | null };

export type CallerOptions = {
  /** Tells its questions from those of all others. */
  readonly name: string;
  readonly random: () => number;
  readonly ttlsMs: readonly number[];
};

const rememberedMax = 40;

/**
 * One who reserves, settles, charges, refunds, renews and asks again at random, and at times forgets
 * what it reserved. Does one thing after the other, so that at most one is under way when it dies.
 */
export class Caller {
  readonly #options: CallerOptions;
  readonly #open: Asked[] = [];
  readonly #settled: { readonly id: string; readonly costs: UnitCosts }[] = [];
  readonly #charges: Charge[] = [];
  readonly #keyed: Keyed[] = [];
  #made = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  next(): Next {
    const roll = this.#options.random();
    if (this.#open.length >= rememberedMax || roll < 0.28) return this.#settle() ?? this.#ask();
    if (roll < 0.34) return this.#beat() ?? this.#ask();
    if (roll < 0.44) return this.#refund() ?? this.#ask();
    if (roll < 0.53) return this.#again() ?? this.#ask();
    if (roll < 0.55) this.#forget();
    return this.#ask();
  }

  note({ attempt }: Next, { outcome, told }: Performed): void {
    if (attempt.kind !== 'ask' || outcome.kind !== 'answered') return;
    const { asked } = attempt;
    const known =
      asked.key === null ? null : this.#keyed.find((one) => one.asked.key === asked.key);
    if (known && outcome.allowed) known.told = told;
    if (!outcome.allowed || outcome.id !== asked.id) return;
    if (asked.reserve) this.#open.push(asked);
    else remember(this.#charges, this.#charge(asked, outcome));
  }

  #ask(): Next {
    const { random } = this.#options;
    const isReserved = random() < 0.65;
    const isKeyed = random() < 0.35;
    const asked: Asked = {
      id: this.#newId(),
      subject: Math.floor(subjectCount * random() ** 2),
      limits: this.#pick([
        [0, 1, 2, 3],
        [0, 1, 2, 3],
        [2, 3],
        [0, 1],
        [1, 3],
      ]),
      costs: { requests: 1 + this.#whole(3), tokens: 1 + this.#whole(40) },
      key: isKeyed ? `key-${this.#options.name}-${this.#made}` : null,
      reserve: isReserved ? this.#reserve() : null,
      // What is neither under a key nor to be found by id could not be asked about later.
      refundable: !isReserved && (!isKeyed || random() < 0.5),
    };
    if (isKeyed) remember(this.#keyed, { asked, told: null });
    return { attempt: { kind: 'ask', asked }, first: null };
  }

  #reserve(): Reserve {
    const onExpiry = this.#options.random() < 0.5 ? 'keep' : 'refund';
    return { ttlMs: this.#pick(this.#options.ttlsMs), onExpiry };
  }

  /** Less, equal, more or nothing; at times one that was settled before. */
  #settle(): Next | null {
    const repeated = this.#options.random() < 0.1 ? this.#any(this.#settled) : null;
    if (repeated) {
      const costs = { requests: this.#whole(6), tokens: this.#whole(60) };
      return { attempt: { kind: 'settle', id: repeated.id, costs }, first: null };
    }
    const asked = this.#take(this.#open);
    if (!asked) return null;
    const { id, costs: reserved } = asked;
    const costs = this.#pick<UnitCosts>([
      reserved,
      { requests: 0, tokens: 0 },
      { requests: this.#whole(6), tokens: this.#whole(60) },
      { tokens: this.#whole(80) },
      {},
    ]);
    remember(this.#settled, { id, costs });
    return { attempt: { kind: 'settle', id, costs }, first: null };
  }

  #beat(): Next | null {
    const asked = this.#any(this.#open);
    if (!asked) return null;
    const ttlMs = this.#options.random() < 0.5 ? null : this.#pick(this.#options.ttlsMs);
    return { attempt: { kind: 'beat', id: asked.id, ttlMs }, first: null };
  }

  #charge(asked: Asked, { atUs }: Extract<Outcome, { kind: 'answered' }>): Charge {
    const { requests, tokens } = asked.costs;
    const some = { requests: this.#whole(requests + 1), tokens: this.#whole(tokens + 1) };
    return { asked, chargedAtUs: atUs, back: this.#pick([asked.costs, some]) };
  }

  /** The same amount however often and in whatever way: it is given back once. */
  #refund(): Next | null {
    const charge = this.#any(this.#charges);
    if (!charge) return null;
    const { asked, chargedAtUs, back: costs } = charge;
    const by = asked.refundable && this.#options.random() < 0.5 ? 'id' : 'caller';
    return { attempt: { kind: 'refund', asked, by, chargedAtUs, costs }, first: null };
  }

  /** The same question again, or another under its key. */
  #again(): Next | null {
    const keyed = this.#any(this.#keyed);
    if (!keyed) return null;
    const asked = { ...keyed.asked, id: this.#newId() };
    const isClash = keyed.told !== null && this.#options.random() < 0.2;
    if (isClash) return { attempt: { kind: 'clash', asked }, first: null };
    return { attempt: { kind: 'ask', asked }, first: keyed.told };
  }

  #forget(): void {
    this.#take(this.#open);
  }

  #newId(): string {
    this.#made += 1;
    return `${this.#options.name}-${this.#made}`;
  }

  #whole(below: number): number {
    return Math.floor(this.#options.random() * below);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#whole(choices.length)] as T;
  }

  #any<T>(list: readonly T[]): T | null {
    return list.length === 0 ? null : this.#pick(list);
  }

  #take<T>(list: T[]): T | undefined {
    return list.splice(this.#whole(list.length), 1)[0];
  }
}

function remember<T>(list: T[], one: T): void {
  list.push(one);
  if (list.length > rememberedMax) list.shift();
}
