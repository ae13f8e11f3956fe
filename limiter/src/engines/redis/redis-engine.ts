import { systemClock, type Clock } from '../../core/clock.ts';
import type {
  BoundLimit,
  ChargeRefund,
  DebitCall,
  DecideAll,
  DecideCall,
  DecideResult,
  Engine,
  Epoch,
  Heartbeat,
  HeartbeatResult,
  Inspection,
  LedgerRecord,
  LedgerTaken,
  Question,
  QuotaSeed,
  RefundCall,
  RefundResult,
  ReleaseResult,
  Settlement,
  SettleResult,
  TenantRef,
} from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import { parseName } from '../../core/parse.ts';
import { requireCounterName } from '../names/counter-names.ts';
import type { RedisClient } from './client.ts';
import { concludeIn } from './conclude.ts';
import { ReplyReader, wholeIn } from './decode.ts';
import type { Allowances } from './slot-call.ts';
import {
  epochSuffix,
  holdsSuffix,
  Keys,
  ledgerDroppedSuffix,
  ledgerSuffix,
  penaltySuffix,
} from './keys.ts';
import { ledgerFields, parseTaken } from './ledger.ts';
import { LimitTexts, seedText } from './limit-text.ts';
import { Refunds } from './refunds.ts';
import { Reservations } from './reservations.ts';
import { run, type Script } from './script.ts';
import { openScripts, type Scripts } from './scripts.ts';
import { Slots } from './slots.ts';
import { Tickets } from './tickets.ts';
import { inOrder, TwoSlots } from './two-slots.ts';

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
/** Nobody else is answered meanwhile. */
const seedsPerCallMax = 200;

/**
 * Decides in Redis: exact across processes, one script call for all limits of all questions. On a
 * cluster global limits cost a second one.
 */
export class RedisEngine implements Engine {
  /** Absent on a cluster: there each slot is another command anyway. */
  readonly decideAll: DecideAll | undefined;
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #texts: LimitTexts;
  readonly #scripts: Scripts;
  readonly #slots: Slots;
  readonly #twoSlots: TwoSlots;
  readonly #reservations: Reservations;
  readonly #refunds: Refunds;
  readonly #tickets: Tickets;

  constructor(client: RedisClient, options: RedisEngineOptions = {}) {
    this.#client = client;
    const prefix = parseName('prefix', options.prefix ?? 'sl');
    this.#keys = new Keys({ prefix, secret: options.secret ?? '' });
    this.#texts = new LimitTexts(options.clock ?? systemClock);
    this.#scripts = options.scripts ?? openScripts();
    const allowances = options.allowances === undefined ? defaultAllowances : options.allowances;
    const place = { client, scripts: this.#scripts, keys: this.#keys, texts: this.#texts };
    this.#slots = new Slots(client, this.#scripts, { ...place, allowances });
    this.decideAll = client.cluster
      ? undefined
      : (calls, tell) => this.#slots.decideAll(calls, tell);
    this.#twoSlots = new TwoSlots(this.#slots, concludeIn(place));
    this.#reservations = new Reservations(client, this.#keys, this.#scripts);
    this.#refunds = new Refunds(place);
    this.#tickets = new Tickets(place);
  }

  async decide(call: DecideCall): Promise<DecideResult> {
    requireBounded(call);
    if (this.#client.cluster && call.questions.some(({ limits }) => limits.some(isGlobal))) {
      return this.#twoSlots.decide(call);
    }
    return this.#slots.decide(call);
  }

  settle(tenant: TenantRef, settlement: Settlement): Promise<SettleResult> {
    return this.#reservations.settle(tenant, settlement);
  }

  refund(tenant: TenantRef, call: RefundCall): Promise<boolean> {
    return this.#refunds.refund(tenant, call);
  }

  refundCharge(tenant: TenantRef, refund: ChargeRefund): Promise<RefundResult> {
    return this.#refunds.refundCharge(tenant, refund);
  }

  debit(tenant: TenantRef, debit: DebitCall): Promise<boolean> {
    return this.#refunds.debit(tenant, debit);
  }

  release(tenant: TenantRef, ticket: string): Promise<ReleaseResult> {
    return this.#tickets.release(tenant, ticket);
  }

  heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<HeartbeatResult> {
    if ('reservationId' in beat) return this.#reservations.renew(tenant, beat);
    return this.#tickets.renew(tenant, beat);
  }

  async abandon(tenant: TenantRef, { id, limits, reserve }: Question): Promise<void> {
    await this.#tickets.free(tenant, id, limits);
    if (!reserve) return;
    const costs = Object.fromEntries(limits.map(({ limit }) => [limit.unit, 0]));
    await this.#reservations.settle(tenant, { reservationId: id, costs });
  }

  async inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    requireBounded({ questions: [{ limits }] });
    const [first, second] = this.#bySlot(limits, isGlobal);
    const own = await this.#slots.inspect(tenant, first);
    if (!second) return own;
    const global = await this.#slots.inspect(tenant, second);
    return { nowUs: own.nowUs, readings: inOrder(limits, own.readings, global.readings) };
  }

  async reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void> {
    if (limits.length === 0) return;
    const prefix = this.#keys.tenant(tenant);
    for (const members of this.#bySlot(limits, isGlobal)) {
      const keys = members.flatMap((bound) => {
        const key = this.#keys.counterOf(prefix, bound);
        return [key, key + holdsSuffix, key + penaltySuffix];
      });
      await run(this.#client, this.#scripts.forget, keys, []);
    }
  }

  async unblock(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<number> {
    if (limits.length === 0) return 0;
    const prefix = this.#keys.tenant(tenant);
    let ended = 0;
    for (const members of this.#bySlot(limits, isGlobal)) {
      const keys = members.map((bound) => this.#keys.counterOf(prefix, bound) + penaltySuffix);
      ended += wholeIn(await run(this.#client, this.#scripts.unblock, keys, []));
    }
    return ended;
  }

  /** What of the store may fail by itself: on a cluster the server that has the tenant's counters. */
  shardOf(tenant: TenantRef): string {
    const { cluster, serverOf } = this.#client;
    return (cluster && serverOf?.(this.#keys.slotOf(tenant))) || '';
  }

  counterName(bound: BoundLimit): string {
    return this.#keys.counter(bound);
  }

  async seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    for (const { counter } of seeds) requireCounterName(counter);
    for (const members of this.#bySlot(seeds, ({ global }) => global === true)) {
      for (let from = 0; from < members.length; from += seedsPerCallMax) {
        await this.#seedSome(tenant, members.slice(from, from + seedsPerCallMax));
      }
    }
  }

  async #seedSome(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    const prefix = this.#keys.tenant(tenant);
    const keys = seeds.map(
      ({ counter, global }) => (global ? this.#keys.global : prefix) + counter,
    );
    const args = seeds.map(({ period, used }, index) => seedText(index + 1, period, used));
    await run(this.#client, this.#scripts.seed, keys, args);
  }

  /**
   * What is used of these quotas, so that another store can go on from there. What open reservations
   * hold counts as used, for nobody settles them there. Silent of periods that are over.
   */
  async readQuotas(tenant: TenantRef, saved: readonly QuotaSeed[]): Promise<QuotaSeed[]> {
    const read: QuotaSeed[] = [];
    for (let from = 0; from < saved.length; from += seedsPerCallMax) {
      read.push(...(await this.#readSome(tenant, saved.slice(from, from + seedsPerCallMax))));
    }
    return read;
  }

  async #readSome(tenant: TenantRef, saved: readonly QuotaSeed[]): Promise<QuotaSeed[]> {
    const prefix = this.#keys.tenant(tenant);
    const keys = saved.flatMap(({ counter }) => {
      requireCounterName(counter);
      return [prefix + counter, prefix + counter + holdsSuffix];
    });
    const args = saved.map(({ period }, at) => seedText(2 * at + 1, period, 0));
    const reply = await run(this.#client, this.#scripts.readQuotas, keys, args);
    const reader = new ReplyReader(reply);
    return saved.flatMap(({ counter }) => {
      const period = { startUs: reader.number(), endUs: reader.number() };
      const used = reader.number();
      return used > 0 ? [{ counter, period, used }] : [];
    });
  }

  async publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void> {
    await this.#tenantRun(
      this.#scripts.publishEpoch,
      tenant,
      [epochSuffix],
      [`${epoch.tenant} ${epoch.shared}`],
    );
  }

  async record(tenant: TenantRef, { writer, number, counts }: LedgerRecord): Promise<void> {
    if (counts.length === 0) return;
    await this.#tenantRun(
      this.#scripts.record,
      tenant,
      [ledgerSuffix, this.#keys.ledgerWriter(writer)],
      [String(number), String(counts.length), ...ledgerFields(counts)],
    );
  }

  async takeLedger(tenant: TenantRef, batch: number): Promise<LedgerTaken> {
    const suffixes = [
      ledgerSuffix,
      this.#keys.ledgerBatch(batch),
      this.#keys.ledgerBatch(batch - 1),
      ledgerDroppedSuffix,
    ];
    const { takeLedger } = this.#scripts;
    const reply = await this.#tenantRun(takeLedger, tenant, suffixes, [String(batch)]);
    return parseTaken(reply, batch);
  }

  async dropLedger(tenant: TenantRef, batch: number): Promise<void> {
    const suffixes = [this.#keys.ledgerBatch(batch), ledgerDroppedSuffix];
    await this.#tenantRun(this.#scripts.dropLedger, tenant, suffixes, [String(batch)]);
  }

  async hasLedger(tenant: TenantRef, batch: number): Promise<boolean> {
    const suffixes = [ledgerSuffix, this.#keys.ledgerBatch(batch)];
    return wholeIn(await this.#tenantRun(this.#scripts.hasLedger, tenant, suffixes, [])) > 0;
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

  /** What one command can be about: everything, or on a cluster what is in one slot. */
  #bySlot<T>(members: readonly T[], isGlobalOne: (member: T) => boolean): Groups<T> {
    if (!this.#client.cluster) return [members];
    const global = members.filter(isGlobalOne);
    if (global.length === 0 || global.length === members.length) return [members];
    return [members.filter((one) => !isGlobalOne(one)), global];
  }

  /** The client belongs to whoever made it. */
  async close(): Promise<void> {}
}

type Groups<T> = readonly [readonly T[], ...(readonly T[])[]];

function isGlobal({ limit }: BoundLimit): boolean {
  return limit.global;
}

type Bounded = { readonly questions: readonly { readonly limits: readonly BoundLimit[] }[] };

function requireBounded({ questions }: Bounded): void {
  let limits = 0;
  for (const question of questions) limits += question.limits.length;
  if (limits > limitsPerCallMax) {
    throw new InvalidInput(
      'questions',
      `have ${limits} limits together, at most ${limitsPerCallMax} fit into one call; split them`,
    );
  }
}
