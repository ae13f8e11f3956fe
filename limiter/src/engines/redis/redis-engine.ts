import { systemClock, type Clock } from '../../core/clock.ts';
import type {
  BoundLimit,
  DecideCall,
  DecideResult,
  Engine,
  Epoch,
  Heartbeat,
  Inspection,
  LedgerCount,
  QuotaSeed,
  RefundCall,
  Settlement,
  SettleResult,
  TenantRef,
} from '../../core/engine.ts';
import { InvalidInput, StoreFailure } from '../../core/errors.ts';
import { parseName } from '../../core/parse.ts';
import { refundableMs } from '../../core/refundable.ts';
import type { RedisClient } from './client.ts';
import { readAnswer, readReadings, ReplyReader, wholeIn } from './decode.ts';
import { EncodedCall, overflowBound, type Allowances, type EncodeContext } from './encode.ts';
import { epochSuffix, holdsSuffix, Keys, ledgerSuffix, penaltySuffix } from './keys.ts';
import { ledgerFields, parseLedger } from './ledger.ts';
import { LimitTexts } from './limit-text.ts';
import { Reservations } from './reservations.ts';
import { run, type Script } from './script.ts';
import { openScripts, type Scripts } from './scripts.ts';
import { parseTicket, ticketOf } from './ticket.ts';

export type RedisEngineOptions = {
  /** Keys begin with this: two applications on one Redis need two. Default `sl`. */
  readonly prefix?: string;
  /** Names in Redis are hashed under this. Every process of an application needs the same. */
  readonly secret?: string;
  /** Null: no bound on what one tenant may create. */
  readonly allowances?: Allowances | null;
  readonly clock?: Clock;
  readonly scripts?: Scripts;
};

const defaultAllowances: Allowances = { countersPerHour: 1_000_000, recordsPerHour: 100_000 };
/** Bounds one script's work, and stays below what Lua can unpack. */
const limitsPerCallMax = 2000;
const roundsMax = 8;

/** Decides in Redis: exact across processes, one script call for all limits of all questions. */
export class RedisEngine implements Engine {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #texts: LimitTexts;
  readonly #scripts: Scripts;
  readonly #context: EncodeContext;
  readonly #reservations: Reservations;

  constructor(client: RedisClient, options: RedisEngineOptions = {}) {
    this.#client = client;
    const prefix = parseName('prefix', options.prefix ?? 'sl');
    this.#keys = new Keys({ prefix, secret: options.secret ?? '' });
    this.#texts = new LimitTexts(options.clock ?? systemClock);
    this.#scripts = options.scripts ?? openScripts();
    const allowances = options.allowances === undefined ? defaultAllowances : options.allowances;
    this.#context = { keys: this.#keys, texts: this.#texts, allowances };
    this.#reservations = new Reservations(client, this.#keys, this.#scripts);
  }

  async decide(call: DecideCall): Promise<DecideResult> {
    requireBounded(call);
    let overflowing: Set<string> | undefined;
    for (let round = 0; round < roundsMax; round += 1) {
      const encoded = new EncodedCall(call, this.#context, overflowing);
      const script = this.#scripts.decide(encoded.uses);
      const reader = new ReplyReader(await run(this.#client, script, encoded.keys, encoded.args));
      const first = reader.number();
      if (first >= 0) return this.#answered(call, reader, first, overflowing);
      const nowUs = reader.number();
      if (first === -1) return { kind: 'stale', nowUs };
      if (first === -2) return { kind: 'unknown', nowUs };
      const positions = reader.rest();
      if (first === -5) this.#texts.correctClock(nowUs);
      else if (first === -3) {
        overflowing ??= new Set();
        for (const position of positions) overflowing.add(encoded.keys[position - 1] as string);
      } else await this.#sweepHolds(encoded, positions);
    }
    throw new StoreFailure('no decision');
  }

  #answered(
    { tenant, questions }: DecideCall,
    reader: ReplyReader,
    nowUs: number,
    overflowing: ReadonlySet<string> | undefined,
  ): DecideResult {
    const prefix = overflowing ? this.#keys.tenant(tenant) : '';
    const isOverflowing = (bound: BoundLimit) =>
      overflowing?.has(prefix + this.#keys.counter(bound)) ?? false;
    const effective = (bound: BoundLimit) => (isOverflowing(bound) ? overflowBound(bound) : bound);
    const answers = questions.map((question) =>
      readAnswer(reader, question, {
        nowUs,
        overflowed: overflowing !== undefined && question.limits.some(isOverflowing),
        ticketOf: (limits, id) => ticketOf(this.#keys, limits.map(effective), id),
      }),
    );
    reader.end();
    return { kind: 'answered', answers };
  }

  async #sweepHolds(encoded: EncodedCall, positions: readonly number[]): Promise<void> {
    const keys: string[] = [];
    const args: string[] = [];
    for (const position of new Set(positions)) {
      const bound = encoded.limitAt(position);
      const key = encoded.keys[position - 1];
      if (!bound || key === undefined) throw new StoreFailure('malformed reply');
      keys.push(key, key + holdsSuffix);
      const use = { key: keys.length - 1, cost: 0, counted: false };
      args.push(this.#texts.of(bound.limit, use));
    }
    await run(this.#client, this.#scripts.sweepHolds, keys, args);
  }

  settle(tenant: TenantRef, settlement: Settlement): Promise<SettleResult> {
    return this.#reservations.settle(tenant, settlement);
  }

  async refund(tenant: TenantRef, { id, limits, chargedAtUs }: RefundCall): Promise<boolean> {
    const prefix = this.#keys.tenant(tenant);
    const keys = [prefix + this.#keys.refund(id)];
    const args = [`${chargedAtUs} ${refundableMs(limits)}`];
    for (const bound of limits) {
      if (bound.limit.numbers.algorithm === 'concurrency') continue;
      const key = prefix + this.#keys.counter(bound);
      keys.push(key, key + holdsSuffix);
      const use = { key: keys.length - 1, cost: bound.cost, counted: false };
      args.push(this.#texts.of(bound.limit, use));
    }
    return wholeIn(await run(this.#client, this.#scripts.refund, keys, args)) === 1;
  }

  async release(tenant: TenantRef, ticket: string): Promise<boolean> {
    const { id, slots } = parseTicket(ticket);
    const prefix = this.#keys.tenant(tenant);
    const keys = slots.map(({ key }) => prefix + key);
    return wholeIn(await run(this.#client, this.#scripts.release, keys, [id])) === 1;
  }

  async heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<boolean> {
    if ('reservationId' in beat) return this.#reservations.renew(tenant, beat);
    const { id, slots } = parseTicket(beat.ticket);
    const prefix = this.#keys.tenant(tenant);
    const keys = slots.map(({ key }) => prefix + key);
    const holdUs = slots.map(({ staleAfterUs }) => Math.min(staleAfterUs, beat.ttlMs * 1000));
    const args = [id, ...holdUs.map(String)];
    return wholeIn(await run(this.#client, this.#scripts.renewTicket, keys, args)) === 1;
  }

  async inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    const call = { tenant, questions: [{ id: '-', limits, peek: true }] };
    requireBounded(call);
    for (let round = 0; round < roundsMax; round += 1) {
      const encoded = new EncodedCall(call, { ...this.#context, allowances: null });
      const script = this.#scripts.inspect(encoded.uses);
      const reader = new ReplyReader(await run(this.#client, script, encoded.keys, encoded.args));
      const first = reader.number();
      const second = reader.number();
      if (first >= 0) return { nowUs: first, readings: readReadings(reader, limits) };
      if (first === -5) this.#texts.correctClock(second);
      else await this.#sweepHolds(encoded, reader.rest());
    }
    throw new StoreFailure('no decision');
  }

  async reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void> {
    if (limits.length === 0) return;
    const prefix = this.#keys.tenant(tenant);
    const keys = limits.flatMap((bound) => {
      const key = prefix + this.#keys.counter(bound);
      return [key, key + holdsSuffix, key + penaltySuffix];
    });
    await run(this.#client, this.#scripts.forget, keys, []);
  }

  async seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    if (seeds.length === 0) return;
    const prefix = this.#keys.tenant(tenant);
    const keys = seeds.map(({ bound }) => prefix + this.#keys.counter(bound));
    const args = seeds.map(({ bound, period, used }, index) => {
      const text = this.#texts.of(bound.limit, { key: index + 1, cost: used, counted: false });
      return `${text} ${period.startUs}`;
    });
    await run(this.#client, this.#scripts.seed, keys, args);
  }

  async publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void> {
    await this.#tenantRun(
      this.#scripts.publishEpoch,
      tenant,
      [epochSuffix],
      [`${epoch.tenant} ${epoch.shared}`],
    );
  }

  async record(tenant: TenantRef, counts: readonly LedgerCount[]): Promise<void> {
    if (counts.length === 0) return;
    await this.#tenantRun(
      this.#scripts.record,
      tenant,
      [ledgerSuffix],
      [String(counts.length), ...ledgerFields(counts)],
    );
  }

  async takeLedger(tenant: TenantRef, batchId: string): Promise<readonly LedgerCount[]> {
    const suffixes = [ledgerSuffix, this.#keys.ledgerBatch(batchId)];
    return parseLedger(await this.#tenantRun(this.#scripts.takeLedger, tenant, suffixes, []));
  }

  async dropLedger(tenant: TenantRef, batchId: string): Promise<void> {
    await this.#tenantRun(this.#scripts.forget, tenant, [this.#keys.ledgerBatch(batchId)], []);
  }

  #tenantRun(script: Script, tenant: TenantRef, suffixes: string[], args: string[]) {
    const prefix = this.#keys.tenant(tenant);
    return run(
      this.#client,
      script,
      suffixes.map((suffix) => prefix + suffix),
      args,
    );
  }

  /** The client belongs to whoever made it. */
  async close(): Promise<void> {}
}

function requireBounded({ questions }: DecideCall): void {
  let limits = 0;
  for (const question of questions) limits += question.limits.length;
  if (limits > limitsPerCallMax) {
    throw new InvalidInput(
      'questions',
      `have ${limits} limits together, at most ${limitsPerCallMax} fit into one call; split them`,
    );
  }
}
