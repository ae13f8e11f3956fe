import type { BoundLimit, Inspection, Question, TenantRef } from '../../core/engine.ts';
import { StoreFailure, storeFailureIn } from '../../core/errors.ts';
import { listOf } from '../../core/list.ts';
import { CallContext } from './answer-context.ts';
import type { RedisClient } from './client.ts';
import {
  readAnswer,
  readReadings,
  replyOf,
  ReplyReader,
  type PartAnswer,
  type Reply,
} from './decode.ts';
import { encodeAll } from './encode-all.ts';
import { EncodedCall } from './encode.ts';
import type { EncodeContext, SlotCall } from './slot-call.ts';
import { holdsSuffix } from './keys.ts';
import { run } from './script.ts';
import type { Scripts } from './scripts.ts';
import { SharedCalls } from './shared-calls.ts';

export type SlotResult =
  | SlotAnswers
  | { readonly kind: 'stale' | 'unknown'; readonly nowUs: number };

export type SlotAnswers = {
  readonly kind: 'answered';
  readonly nowUs: number;
  readonly answers: readonly PartAnswer[];
  /** The limit asked about, or its overflow counter where that was asked instead. */
  readonly counted: (bound: BoundLimit) => BoundLimit;
};

/** What became of the call at this place. */
type TellSlot = (at: number, result: SlotResult | StoreFailure) => void;

const roundsMax = 8;

/** Where no newcomers share a counter, which is nearly always. */
const asAsked = (bound: BoundLimit): BoundLimit => bound;

/** Asks the scripts that decide, in as many rounds as they need to have all they must know. */
export class Slots {
  readonly #client: RedisClient;
  readonly #scripts: Scripts;
  readonly #context: EncodeContext;
  readonly #calls: SharedCalls;

  constructor(client: RedisClient, scripts: Scripts, context: Omit<EncodeContext, 'packs'>) {
    this.#client = client;
    this.#scripts = scripts;
    this.#context = { ...context, packs: client.givesBytes === true };
    this.#calls = new SharedCalls(client, scripts);
  }

  async decide(asked: SlotCall): Promise<SlotResult> {
    const encoded = new EncodedCall(asked, this.#context);
    return this.#goOn(asked, encoded, await this.#calls.alone(encoded));
  }

  /** Each by itself, in as few commands as can be; who needs another round is told later. */
  async decideAll(calls: readonly SlotCall[], tell: TellSlot): Promise<void> {
    let later: Promise<void>[] | null = null;
    await this.#calls.together(encodeAll(calls, this.#context), (at, reply) => {
      const call = calls[at] as SlotCall;
      const result = this.#resultIn(reply, call);
      if (!Array.isArray(result)) return tell(at, result);
      const ended = this.#goOn(call, new EncodedCall(call, this.#context), result);
      later ??= [];
      later.push(ended.catch(storeFailureIn).then((last) => tell(at, last)));
    });
    if (later) await Promise.all(later);
  }

  /** What a first reply says; the reply itself where the script is to be told more. */
  #resultIn(reply: unknown, call: SlotCall): SlotResult | StoreFailure | number[] {
    try {
      if (reply instanceof Error) throw reply;
      const reader = reply as Reply;
      const first = reader.number();
      if (first >= 0) return this.#answered(call, reader, first, undefined);
      if (first === -1) return { kind: 'stale', nowUs: reader.number() };
      if (first === -2) return { kind: 'unknown', nowUs: reader.number() };
      return [first, ...reader.rest()];
    } catch (error) {
      return storeFailureIn(error);
    }
  }

  /** From the first reply on, in as many rounds as it takes. */
  async #goOn(asked: SlotCall, encoded: EncodedCall, reply: unknown): Promise<SlotResult> {
    const { texts } = this.#context;
    let call = asked;
    let sent = encoded;
    let reader = replyOf(reply);
    let overflowing: Set<string> | undefined;
    for (let round = 1; ; round += 1) {
      const first = reader.number();
      if (first >= 0) return this.#answered(call, reader, first, overflowing);
      const nowUs = reader.number();
      if (first === -1) return { kind: 'stale', nowUs };
      if (first === -2) return { kind: 'unknown', nowUs };
      if (first === -6) throw new StoreFailure('too many reservations');
      if (round === roundsMax) throw new StoreFailure('no decision');
      const positions = reader.rest();
      if (first === -5) texts.correctClock(nowUs);
      else if (first === -3) {
        overflowing ??= new Set();
        for (const position of positions) overflowing.add(sent.keys[position - 1] as string);
      } else {
        await this.#sweepHolds(sent, positions);
        // On a busy counter something runs out all the time: one must not wait until nothing does.
        call = { ...asked, sweptUntilUs: nowUs };
      }
      sent = new EncodedCall(call, this.#context, overflowing);
      reader = replyOf(await this.#calls.alone(sent));
    }
  }

  #answered(
    { tenant, questions }: SlotCall,
    reader: Reply,
    nowUs: number,
    overflowing: ReadonlySet<string> | undefined,
  ): SlotAnswers {
    const context = new CallContext(nowUs, this.#context.keys, tenant, overflowing);
    const answers = listOf<PartAnswer>(questions.length);
    for (let at = 0; at < answers.length; at += 1) {
      answers[at] = readAnswer(reader, questions[at] as Question, context);
    }
    reader.end();
    const counted = overflowing ? (bound: BoundLimit) => context.counted(bound) : asAsked;
    return { kind: 'answered', nowUs, answers, counted };
  }

  async inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    const asked = { tenant, questions: [{ id: '-', limits, peek: true }] };
    let call: SlotCall = asked;
    for (let round = 0; round < roundsMax; round += 1) {
      const encoded = new EncodedCall(call, { ...this.#context, allowances: null, packs: false });
      const script = this.#scripts.inspect(encoded.uses);
      const reader = new ReplyReader(await run(this.#client, script, encoded.keys, encoded.args));
      const first = reader.number();
      const second = reader.number();
      if (first >= 0) return { nowUs: first, readings: readReadings(reader, limits) };
      if (first === -5) this.#context.texts.correctClock(second);
      else {
        await this.#sweepHolds(encoded, reader.rest());
        call = { ...asked, sweptUntilUs: second };
      }
    }
    throw new StoreFailure('no decision');
  }

  async #sweepHolds(encoded: EncodedCall, positions: readonly number[]): Promise<void> {
    const keys: string[] = [];
    const args: string[] = [];
    const swept = new Set<string>();
    for (const position of positions) {
      const bound = encoded.limitAt(position);
      const key = encoded.keys[position - 1];
      if (!bound || key === undefined) throw new StoreFailure('malformed reply');
      // Several questions name one counter at positions of their own.
      if (swept.has(key)) continue;
      swept.add(key);
      keys.push(key, key + holdsSuffix);
      const use = { key: keys.length - 1, cost: 0 };
      args.push(this.#context.texts.of(bound.limit, use));
    }
    await run(this.#client, this.#scripts.sweepHolds, keys, args);
  }
}
