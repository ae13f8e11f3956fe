import {
  bind,
  parseCheck,
  parseCost,
  parseCosts,
  type Check,
  type ParsedCheck,
} from '../core/check.ts';
import { Decision } from '../core/decision.ts';
import type { Answer, BoundLimit, Engine, Question, SettleResult } from '../core/engine.ts';
import { IdempotencyConflict, InvalidInput, StoreFailure } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import type { Limit } from '../core/limit.ts';
import type {
  DecisionView,
  Held,
  LimiterPort,
  RealCost,
  RefundOptions,
} from '../core/limiter-port.ts';
import { describe, parseWhole } from '../core/numbers.ts';
import { parseText, refuseUnknownFields, requireObject } from '../core/parse.ts';
import type { LocalShares } from '../engines/guard/local/local-shares.ts';
import type { LonePath, MemoryEngine } from '../engines/memory/index.ts';
import { CheckQuestion } from '../core/question.ts';
import { whenStoreFails } from '../core/when-store-fails.ts';
import { parseLimits, requireFew } from './parse-limits.ts';

export type { RealCost } from '../core/limiter-port.ts';

const tenantDefault = 'default';
const idLengthMax = 4096;
const renewMsMax = 86_400_000;

export type LimiterParts = {
  readonly engine: Engine;
  readonly limits: readonly Limit[];
  /** Tells counters of several limiters on one engine apart. */
  readonly name: string;
  /** What decides in front of the engine; the engine itself when absent. */
  readonly decider?: Pick<Engine, 'decide'>;
  /** For limits that fail local: made when there is the first of them. */
  readonly local?: LocalSource;
};

export type LocalSource = { shares: LocalShares | null; readonly make: () => LocalShares };

/**
 * Asks one engine about one list of limits. A refusal and a failed store are decisions; only what
 * the caller did wrong throws.
 */
export class Limiter implements LimiterPort {
  protected readonly engine: Engine;
  protected readonly limits: readonly Limit[];
  protected readonly name: string;
  readonly #decider: Pick<Engine, 'decide'>;
  readonly #localSource: LocalSource | undefined;
  readonly #local: LocalShares | null;

  constructor({ engine, limits, name, decider = engine, local }: LimiterParts) {
    this.engine = engine;
    this.limits = limits;
    this.name = name;
    this.#decider = decider;
    this.#localSource = local;
    const isLocal = limits.some(({ onStoreFailure }) => onStoreFailure === 'local');
    this.#local = local && isLocal ? (local.shares ??= local.make()) : null;
  }

  /** How soon the first of its silent tickets is stale; null where no limit is on open calls. */
  get staleAfterMs(): number | null {
    const staleMs = this.limits.flatMap(({ numbers }) =>
      numbers.algorithm === 'concurrency' ? [numbers.staleAfterUs / 1000] : [],
    );
    return staleMs.length === 0 ? null : Math.min(...staleMs);
  }

  /**
   * The same store under further limits, such as those of one route, or under these `alone`: all are
   * decided in one step. One of a name that is taken replaces it. Close the limiter that this was
   * made of, not this one.
   */
  with(limits: readonly LimitInput[], options: { readonly alone?: boolean } = {}): Limiter {
    const { engine, name } = this;
    return new Limiter({
      engine,
      name,
      limits: this.joined(limits, options),
      decider: this.#decider,
      ...(this.#localSource && { local: this.#localSource }),
    });
  }

  protected joined(
    more: readonly LimitInput[],
    { alone = false }: { readonly alone?: boolean },
  ): readonly Limit[] {
    const added = parseLimits(more, this.name);
    if (alone) return added;
    const names = new Set(added.map(({ name }) => name));
    const all = [...this.limits.filter(({ name }) => !names.has(name)), ...added];
    return requireFew(all);
  }

  /** May this subject do this, at this cost? Decides all limits in one step and charges them. */
  async check(check: Check): Promise<Decision> {
    const parsed = parseCheck(check);
    const question = new CheckQuestion(parsed, bind(this.limits, parsed));
    const tenant = { id: parsed.tenant };
    try {
      const result = await this.#decider.decide({ tenant, questions: [question] });
      if (result.kind !== 'answered') throw new StoreFailure(result.kind);
      const [answer] = result.answers;
      if (answer?.kind === 'decided') this.#local?.heard(tenant, question, answer);
      return decisionOf(parsed, question, answer);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return whenStoreFails(error, parsed, question, this.#local?.answer(tenant, question));
    }
  }

  /** The real cost of a reservation, once. */
  async settle(reservationId: string, real: RealCost): Promise<SettleResult> {
    const { cost, costs: named } = parseRealCost('real', real, ['cost', 'costs', 'tenant']);
    const costs = { ...named, ...(cost === undefined ? {} : { requests: cost }) };
    const id = parseText('reservationId', reservationId, idLengthMax);
    return this.engine.settle(tenantOf(real.tenant), { reservationId: id, costs });
  }

  /** Gives back what a decision charged, or the part named; once, and within its window. */
  async refund(
    decision: DecisionView,
    part: Omit<RealCost, 'tenant'> = {},
    { rememberMs }: RefundOptions = {},
  ): Promise<boolean> {
    if (!(decision instanceof Decision)) {
      throw new InvalidInput('decision', `must be one of ours, got ${describe(decision)}`);
    }
    const asked = parseRealCost('part', part, ['cost', 'costs']);
    const { answer, check, question } = Decision.factsOf(decision);
    const given = question.limits.flatMap((bound, at): BoundLimit[] => {
      if (answer.readings[at]?.verdict !== 'ok') return [];
      // What is reserved was not charged, and is settled instead.
      if (answer.reservation && !bound.limit.global) return [];
      const cost = Math.min(bound.cost, partOf(bound, asked));
      return cost > 0 ? [{ ...bound, cost }] : [];
    });
    if (!answer.allowed || given.length === 0) return false;
    const call = { id: decision.decisionId, chargedAtUs: answer.nowUs, limits: given };
    const told = rememberMs === undefined ? call : { ...call, rememberMs };
    return this.engine.refund({ id: check.tenant }, told);
  }

  /** Gives a ticket's slots back. False when they were no longer held. */
  async release(ticket: string, options: { readonly tenant?: string } = {}): Promise<boolean> {
    requireObject('options', options);
    refuseUnknownFields('', options, ['tenant']);
    const id = parseText('ticket', ticket, idLengthMax);
    const released = await this.engine.release(tenantOf(options.tenant), id);
    return released === 'released';
  }

  /**
   * Holds a ticket or a reservation for another while: `ttlMs`, or as long as a silent ticket lives
   * and as was reserved. False when it is gone.
   */
  async heartbeat(held: Held): Promise<boolean> {
    requireObject('held', held);
    const id = 'reservationId' in held && !('ticket' in held) ? 'reservationId' : 'ticket';
    refuseUnknownFields('', held, [id, 'ttlMs', 'tenant']);
    const ttlMs =
      held.ttlMs === undefined
        ? undefined
        : parseWhole('ttlMs', held.ttlMs, { min: 1, max: renewMsMax });
    const beat =
      'reservationId' in held
        ? { reservationId: parseText('reservationId', held.reservationId, idLengthMax), ttlMs }
        : { ticket: parseText('ticket', held.ticket, idLengthMax), ttlMs };
    const renewed = await this.engine.heartbeat(tenantOf(held.tenant), beat);
    return renewed.kind === 'held';
  }

  /** Forgets what the subject of this check has used of each limit. */
  async reset(check: Omit<Check, 'cost' | 'costs' | 'reserve' | 'idempotencyKey'>): Promise<void> {
    const parsed = parseCheck(check);
    await this.engine.reset({ id: parsed.tenant }, bind(this.limits, parsed));
  }

  async close(): Promise<void> {
    await this.#localSource?.shares?.close();
    await this.engine.close();
  }
}

/** In process there is nothing to wait for. */
export class SyncLimiter extends Limiter {
  readonly #memory: MemoryEngine;
  readonly #lonePath: LonePath | null;

  constructor(engine: MemoryEngine, limits: readonly Limit[], name: string) {
    super({ engine, limits, name });
    this.#memory = engine;
    const [limit] = limits;
    this.#lonePath = limit && limits.length === 1 ? engine.lonePathOf(limit) : null;
  }

  override with(
    limits: readonly LimitInput[],
    options: { readonly alone?: boolean } = {},
  ): SyncLimiter {
    return new SyncLimiter(this.#memory, this.joined(limits, options), this.name);
  }

  checkSync(check: Check): Decision {
    return this.#lonePath?.decide(check) ?? this.#decide(check);
  }

  /** The short way by itself, for who needs no more than the grounds of a decision. */
  static lonePathOf(port: LimiterPort): LonePath | null {
    return port instanceof SyncLimiter ? port.#lonePath : null;
  }

  #decide(check: Check): Decision {
    const parsed = parseCheck(check);
    const question = new CheckQuestion(parsed, bind(this.limits, parsed));
    try {
      const answer = this.#memory.answerNow({ id: parsed.tenant }, question);
      return decisionOf(parsed, question, answer);
    } catch (error) {
      if (error instanceof StoreFailure) return whenStoreFails(error, parsed, question);
      throw error;
    }
  }

  override async check(check: Check): Promise<Decision> {
    return this.checkSync(check);
  }
}

function decisionOf(check: ParsedCheck, question: Question, answer: Answer | undefined): Decision {
  if (answer === undefined) throw new StoreFailure('no answer');
  if (answer.kind === 'conflict') throw new IdempotencyConflict();
  return new Decision({
    check,
    question,
    answer,
    basis: answer.degraded === 'overflow' ? 'local' : 'exact',
    degradedReason: answer.degraded,
  });
}

function parseRealCost(field: string, value: RealCost, known: readonly string[]) {
  requireObject(field, value);
  refuseUnknownFields('', value, known);
  return {
    cost: value.cost === undefined ? undefined : parseCost('cost', value.cost),
    costs: value.costs === undefined ? undefined : parseCosts(value.costs),
  };
}

function partOf({ limit }: BoundLimit, { cost, costs }: ReturnType<typeof parseRealCost>): number {
  if (cost === undefined && costs === undefined) return Infinity;
  return (limit.unit === 'requests' ? cost : costs?.[limit.unit]) ?? 0;
}

function tenantOf(tenant: string | undefined) {
  return { id: tenant === undefined ? tenantDefault : parseText('tenant', tenant, 1024) };
}
