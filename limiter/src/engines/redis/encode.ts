import type { AlgorithmName } from '../../core/algorithms/index.ts';
import type { BoundLimit, DecideCall, Question } from '../../core/engine.ts';
import { joined, overflowOf } from '../../core/limit.ts';
import {
  countersAllowanceSuffix,
  epochSuffix,
  holdsSuffix,
  ledgerSuffix,
  penaltySuffix,
  recordsAllowanceSuffix,
  type Keys,
} from './keys.ts';
import type { LimitTexts } from './limit-text.ts';
import type { Feature } from './scripts.ts';

export type Allowances = {
  /** New counters a tenant may make in an hour; newcomers beyond share one for each limit. */
  readonly countersPerHour: number;
  /** Idempotency records a tenant may make in an hour. */
  readonly recordsPerHour: number;
};

/** A call as `decide.lua` reads it. */
export type Encoded = {
  readonly keys: string[];
  readonly args: string[];
  readonly algorithms: Set<AlgorithmName>;
  readonly features: Set<Feature>;
  /** The limits by the position of their counter in `keys`, from 1. */
  readonly limitsByKey: Map<number, BoundLimit>;
};

export type EncodeContext = {
  readonly keys: Keys;
  readonly texts: LimitTexts;
  readonly allowances: Allowances | null;
  /** Counters of this tenant that may not be made: their limits share one. */
  readonly overflowing: ReadonlySet<string>;
};

/** Kept by Redis as strings and read all at once; the other kinds have commands of their own. */
function isString(algorithm: AlgorithmName): boolean {
  return algorithm !== 'concurrency' && algorithm !== 'sliding_window_log';
}

const neverUs = Number.MAX_SAFE_INTEGER;

export function encodeCall(call: DecideCall, context: EncodeContext): Encoded {
  const prefix = context.keys.tenant(call.tenant);
  const writer = new CallWriter(prefix, context);
  const { snapshot } = call;
  if (snapshot) writer.string(prefix + epochSuffix);
  for (const question of call.questions) writer.place(question);
  const head: string[] = [];
  if (snapshot) {
    const { epoch, validUntilUs = neverUs, confirmed } = snapshot;
    writer.features.add('epoch');
    head.push(`${epoch.tenant}.${epoch.shared} ${validUntilUs} ${confirmed ? 1 : 0}`);
  }
  return writer.write(call.questions, head);
}

/** Two passes: strings must stand first in KEYS, so all keys are placed before any is named. */
class CallWriter {
  readonly algorithms = new Set<AlgorithmName>();
  readonly features = new Set<Feature>();
  readonly #prefix: string;
  readonly #context: EncodeContext;
  readonly #strings = new Map<string, number>();
  readonly #others = new Map<string, number>();
  readonly #bound = new Map<BoundLimit, { bound: BoundLimit; key: string }>();

  constructor(prefix: string, context: EncodeContext) {
    this.#prefix = prefix;
    this.#context = context;
  }

  string(key: string): void {
    if (!this.#strings.has(key)) this.#strings.set(key, this.#strings.size + 1);
  }

  #other(key: string): void {
    if (!this.#others.has(key)) this.#others.set(key, this.#others.size + 1);
  }

  #position(key: string): number {
    return this.#strings.get(key) ?? this.#strings.size + (this.#others.get(key) as number);
  }

  place(question: Question): void {
    const { keys, allowances } = this.#context;
    const { idempotency, reserve, ledgerLabel } = question;
    for (const asked of question.limits) {
      const { bound, key } = this.#counter(asked);
      const { algorithm } = bound.limit.numbers;
      this.algorithms.add(algorithm);
      if (isString(algorithm)) this.string(key);
      else this.#other(key);
      if (bound.limit.penalty) {
        this.features.add('penalty');
        this.string(key + penaltySuffix);
      }
      if (reserve) this.#other(key + holdsSuffix);
    }
    if (allowances) this.features.add('allowance');
    if (ledgerLabel !== undefined) {
      this.features.add('ledger');
      this.#other(this.#prefix + ledgerSuffix);
    }
    if (idempotency) {
      this.features.add('records').add('allowance');
      this.string(this.#prefix + keys.answer(idempotency.scope, idempotency.key));
      this.#other(this.#prefix + recordsAllowanceSuffix);
    }
    if (reserve) {
      this.features.add('reservation');
      this.#other(this.#prefix + keys.reservation(question.id));
    }
  }

  #counter(asked: BoundLimit): { bound: BoundLimit; key: string } {
    const known = this.#bound.get(asked);
    if (known) return known;
    const { keys, overflowing } = this.#context;
    let bound = asked;
    let key = this.#prefix + keys.counter(bound);
    if (overflowing.has(key)) {
      bound = { limit: overflowOf(asked.limit), parts: [], cost: asked.cost };
      key = this.#prefix + keys.counter(bound);
    }
    const counter = { bound, key };
    this.#bound.set(asked, counter);
    return counter;
  }

  write(questions: readonly Question[], head: readonly string[]): Encoded {
    const limitsByKey = new Map<number, BoundLimit>();
    const args = [`${this.#strings.size} ${questions.length}`, ...head];
    const { allowances } = this.#context;
    if (allowances) {
      const key = this.#prefix + countersAllowanceSuffix;
      this.#other(key);
      args.push(`${this.#position(key)} ${allowances.countersPerHour}`);
    } else if (this.features.has('allowance')) args.push('0 0');
    for (const question of questions) this.#question(question, args, limitsByKey);
    const keys = [...this.#strings.keys(), ...this.#others.keys()];
    return { keys, args, algorithms: this.algorithms, features: this.features, limitsByKey };
  }

  #question(question: Question, args: string[], limitsByKey: Map<number, BoundLimit>): void {
    const { limits, peek, ledgerLabel, idempotency, reserve, id } = question;
    const slots = limits.some(({ limit }) => limit.numbers.algorithm === 'concurrency');
    const flags = [peek, ledgerLabel !== undefined, idempotency, reserve, slots];
    args.push(`${limits.length} ${flags.map((flag) => (flag ? '1' : '0')).join('')}`);
    if (ledgerLabel !== undefined) {
      args.push(`${this.#position(this.#prefix + ledgerSuffix)} ${ledgerLabel}`);
    }
    if (idempotency) this.#record(question, args);
    if (reserve) this.#reservation(question, args);
    if (slots) args.push(id);
    for (const asked of limits) {
      const { bound, key } = this.#counter(asked);
      const position = this.#position(key);
      limitsByKey.set(position, asked);
      const counted = bound.parts.length > 0;
      args.push(this.#context.texts.of(bound.limit, { key: position, cost: bound.cost, counted }));
      if (this.features.has('penalty')) args.push(this.#penalty(bound, key));
      if (reserve) args.push(String(this.#position(key + holdsSuffix)));
    }
  }

  #penalty({ limit: { penalty } }: BoundLimit, key: string): string {
    if (!penalty) return '-';
    const { blockUs, growthThousandths, blockMaxUs } = penalty;
    return `${this.#position(key + penaltySuffix)} ${blockUs} ${growthThousandths} ${blockMaxUs}`;
  }

  #record({ idempotency, limits, id }: Question, args: string[]): void {
    if (!idempotency) return;
    const { scope, key, fingerprint, ttlMs } = idempotency;
    const record = this.#position(this.#prefix + this.#context.keys.answer(scope, key));
    const allowance = this.#position(this.#prefix + recordsAllowanceSuffix);
    const max = this.#context.allowances?.recordsPerHour ?? neverUs;
    const print = this.#context.keys.fingerprint(fingerprint);
    args.push(`${record} ${ttlMs} ${allowance} ${max}`, print, id, this.#layout(limits));
  }

  /** Two questions with one layout have readings of the same limits. */
  #layout(limits: readonly BoundLimit[]): string {
    return this.#context.keys.fingerprint(joined(limits.map(({ limit }) => limit.counterId)));
  }

  #reservation({ reserve, limits, id }: Question, args: string[]): void {
    if (!reserve) return;
    const { keys } = this.#context;
    const record = this.#position(this.#prefix + keys.reservation(id));
    const keep = reserve.onExpiry === 'keep' ? 1 : 0;
    args.push(`${record} ${reserve.ttlMs * 1000} ${keep} ${id}`, this.#blob(limits));
  }

  /** What a settlement by any process needs to know of the limits that were reserved. */
  #blob(limits: readonly BoundLimit[]): string {
    const reserved = limits.filter(
      ({ limit, cost }) => cost > 0 && limit.numbers.algorithm !== 'concurrency',
    );
    const entries = reserved.map((asked): ReservedLimit => {
      const { bound, key } = this.#counter(asked);
      const use = { key: 0, cost: 0, counted: false };
      return {
        key: key.slice(this.#prefix.length),
        text: this.#context.texts.of(bound.limit, use),
        algorithm: bound.limit.numbers.algorithm,
        unit: bound.limit.unit,
        cost: bound.cost,
        size: bound.limit.size,
      };
    });
    return JSON.stringify(entries);
  }
}

/** One limit in a reservation's record. `text` is its argument, with key and cost to be filled in. */
export type ReservedLimit = {
  readonly key: string;
  readonly text: string;
  readonly algorithm: AlgorithmName;
  readonly unit: string;
  readonly cost: number;
  readonly size: number;
};
