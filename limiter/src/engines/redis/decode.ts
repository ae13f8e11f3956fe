import type { AlgorithmName, Opaque } from '../../core/algorithms/index.ts';
import {
  verdicts,
  type Answer,
  type BoundLimit,
  type Decided,
  type Question,
  type Reading,
} from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { listOf } from '../../core/list.ts';
import { PackedReply } from './packed-reply.ts';

/** What a script replied, value by value. */
export type Reply = {
  number(): number;
  text(): string;
  skip(count: number): void;
  /** All that is left. */
  rest(): number[];
  /** Fails where something is left. */
  end(): void;
};

export function replyOf(reply: unknown): Reply {
  return reply instanceof Buffer ? new PackedReply(reply) : new ReplyReader(reply);
}

/** Walks a list from Redis, and trusts nothing in it to be there. */
export class ReplyReader implements Reply {
  readonly #reply: readonly unknown[];
  #at = 0;

  constructor(reply: unknown) {
    if (!Array.isArray(reply)) throw new StoreFailure('malformed reply');
    this.#reply = reply;
  }

  number(): number {
    const value = wholeIn(this.#reply[this.#at]);
    this.#at += 1;
    return value;
  }

  text(): string {
    const value = this.#reply[this.#at];
    this.#at += 1;
    if (typeof value !== 'string') throw new StoreFailure('malformed reply');
    return value;
  }

  skip(count: number): void {
    this.#at += count;
  }

  rest(): number[] {
    const numbers: number[] = [];
    while (this.#at < this.#reply.length) numbers.push(this.number());
    return numbers;
  }

  end(): void {
    if (this.#at !== this.#reply.length) throw new StoreFailure('malformed reply');
  }
}

/** One call's values in the reply to several, each call's in turn. Reads none of the next one's. */
export class PartOfReply implements Reply {
  readonly #reply: Reply;
  #left = 0;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  begin(count: number): void {
    this.#left = count;
  }

  /** On to the next, whatever was read of this one. */
  pass(): void {
    this.#reply.skip(this.#left);
    this.#left = 0;
  }

  number(): number {
    this.#take(1);
    return this.#reply.number();
  }

  text(): string {
    this.#take(1);
    return this.#reply.text();
  }

  skip(count: number): void {
    this.#take(count);
    this.#reply.skip(count);
  }

  rest(): number[] {
    const numbers = listOf<number>(this.#left);
    for (let at = 0; at < numbers.length; at += 1) numbers[at] = this.number();
    return numbers;
  }

  end(): void {
    if (this.#left !== 0) throw new StoreFailure('malformed reply');
  }

  #take(count: number): void {
    if (this.#left < count) throw new StoreFailure('malformed reply');
    this.#left -= count;
  }
}

/** A whole number, also as text: some clients are set up to return those. Nothing is not 0. */
export function wholeIn(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw new StoreFailure('malformed reply');
  return number as number;
}

export function readReading(reader: Reply, { limit }: BoundLimit): Reading {
  const code = reader.number();
  const blocked = code >= 20;
  const holding = code % 20 >= 10;
  const verdict = verdicts[code % 10];
  if (verdict === undefined) throw new StoreFailure('malformed reply');
  const held = holding ? reader.number() : 0;
  const heldUntilUs = holding ? reader.number() : 0;
  const blockedUntilUs = blocked ? reader.number() : 0;
  const state = readState(reader, limit.numbers.algorithm);
  return { verdict, state, held, heldUntilUs, blockedUntilUs };
}

/** The numbers each `*_read` in Lua appends, in its order. */
export function readState(reader: Reply, algorithm: AlgorithmName): Opaque {
  switch (algorithm) {
    case 'token_bucket':
      return { emptyAtUs: reader.number(), fraction: reader.number() };
    case 'fixed_window':
    case 'quota':
      return { startUs: reader.number(), endUs: reader.number(), used: reader.number() };
    case 'sliding_window_counter':
      return {
        startUs: reader.number(),
        windowUs: reader.number(),
        previous: reader.number(),
        current: reader.number(),
      };
    case 'sliding_window_log':
      return { used: reader.number(), newestUs: reader.number(), fitsAtUs: reader.number() };
    case 'concurrency':
      return { used: reader.number(), soonestUs: reader.number(), latestUs: reader.number() };
  }
}

const refused = 0;
const granted = 1;
const replayed = 2;
const conflict = 3;
const notRecorded = 4;

export type AnswerContext = {
  readonly nowUs: number;
  /** Whether counters were asked that newcomers share. */
  hasOverflowed(question: Question): boolean;
  /** The ticket for slots taken in these limits, or null when there are none. */
  ticketOf(limits: readonly BoundLimit[], id: string): string | null;
};

/** With what was seen elsewhere when the question was first answered, where that is another slot. */
export type PartAnswer = Answer & { readonly recorded?: readonly Reading[] };

export function readAnswer(reader: Reply, question: Question, context: AnswerContext): PartAnswer {
  const status = reader.number();
  if (status === conflict) return { kind: 'conflict' };
  if (status === replayed) return readReplay(reader, question, context);
  if (status !== refused && status !== granted && status !== notRecorded) {
    throw new StoreFailure('malformed reply');
  }
  const degraded = status === notRecorded ? 'idempotency_full' : null;
  return decided(question, context, {
    replayOf: null,
    nowUs: context.nowUs,
    allowed: status !== refused,
    readings: readReadings(reader, question.limits),
    degraded: context.hasOverflowed(question) ? 'overflow' : degraded,
  });
}

function readReplay(reader: Reply, question: Question, context: AnswerContext): PartAnswer {
  const replayOf = reader.text();
  const sameLayout = reader.number() === 1;
  const nowUs = reader.number();
  const count = reader.number();
  if (!sameLayout) reader.skip(count);
  const readings = sameLayout ? readReadings(reader, question.limits) : [];
  const elsewhere = reader.text();
  const core = { replayOf, nowUs, allowed: true, readings, degraded: null };
  const answer = decided(question, context, core);
  if (!sameLayout || elsewhere === '') return answer;
  return { ...answer, recorded: JSON.parse(elsewhere) as Reading[] };
}

export function readReadings(reader: Reply, limits: readonly BoundLimit[]): Reading[] {
  const readings = listOf<Reading>(limits.length);
  for (let at = 0; at < readings.length; at += 1) {
    readings[at] = readReading(reader, limits[at] as BoundLimit);
  }
  return readings;
}

type Core = Omit<Decided, 'kind' | 'ticket' | 'reservation'>;

function decided(question: Question, context: AnswerContext, core: Core): Decided {
  const { replayOf, nowUs, allowed, readings, degraded } = core;
  const { reserve, limits } = question;
  const admitted = allowed && !question.peek;
  const holds = admitted && (reserve !== undefined || limits.some(hasSlots));
  const id = holds ? (replayOf ?? question.id) : '';
  const charged = holds ? limits.filter((_, at) => readings[at]?.verdict === 'ok') : [];
  return {
    kind: 'decided',
    allowed,
    nowUs,
    readings,
    replayOf,
    ticket: holds ? context.ticketOf(charged, id) : null,
    reservation: holds && reserve ? { id, expiresAtUs: nowUs + reserve.ttlMs * 1000 } : null,
    degraded,
  };
}

/** Whether the limit hands out slots, which its ticket gives back. */
export function hasSlots({ limit }: BoundLimit): boolean {
  return limit.numbers.algorithm === 'concurrency';
}
