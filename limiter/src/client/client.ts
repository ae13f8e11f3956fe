import { CapacityFull, InvalidInput, StoreFailure } from '../core/errors.ts';
import type {
  DecisionView,
  Held,
  LimiterPort,
  PortCheck,
  RealCost,
  SettleView,
} from '../core/limiter-port.ts';
import { unaskedDecision, type UnaskedPolicy } from '../core/unasked-decision.ts';
import { Deadline } from '../engines/guard/deadline.ts';
import { Batcher } from './batcher.ts';
import { warnOfKey } from './key-warning.ts';
import type { Fetch, Transport } from './transport.ts';
import { wireCheck, wireCosts, type PlanIds } from './wire.ts';

export type ClientOptions = {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Its key, or for programs that serve several tenants of the service: the key of each. */
  readonly apiKey: string | ((tenant: string) => string);
  /** After this long without an answer the policy decides. Default 250. */
  readonly deadlineMs?: number;
  /** What a service that can't be asked means: `open` lets through, `closed` refuses. Default `open`. */
  readonly onStoreFailure?: UnaskedPolicy;
  /** Every check is on this plan unless it names another: an id, or a name in `plans`. */
  readonly plan?: string;
  /** Ids of plans by name, for `plan`; the key needs the scope `plan:select`. */
  readonly plans?: PlanIds;
  /** Another `fetch`, such as one with a pool of its own. */
  readonly fetch?: Fetch;
};

export type ClientParts = {
  readonly transport: Transport;
  readonly keyOf: (tenant: string | undefined) => string;
  /** Then the key says the tenant, and the check need not. */
  readonly tenantsHaveKeys: boolean;
  readonly deadlineMs: number;
  readonly policy: UnaskedPolicy;
  readonly plan: string | undefined;
  readonly plans: PlanIds;
};

/** The service, asked like a limiter in process. */
export class Client implements LimiterPort {
  readonly #parts: ClientParts;
  readonly #batcher: Batcher;
  readonly #deadline: Deadline;
  readonly #tenants = new WeakMap<DecisionView, string>();
  readonly #toldOfKey = new Set<string>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#batcher = new Batcher(parts.transport);
    this.#deadline = new Deadline(parts.deadlineMs);
  }

  async check(check: PortCheck): Promise<DecisionView> {
    const { keyOf, plan, plans, policy, tenantsHaveKeys } = this.#parts;
    const named = plan === undefined || check.plan !== undefined ? check : { ...check, plan };
    const wire = wireCheck(tenantsHaveKeys ? withoutTenant(named) : named, plans);
    const asked = this.#batcher.ask(keyOf(check.tenant), wire);
    let isLate = false;
    try {
      const decision = await this.#deadline.run(asked, {
        onFailure: (error) => {
          isLate = true;
          return error;
        },
      });
      if (check.tenant !== undefined) this.#tenants.set(decision, check.tenant);
      return decision;
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      if (isLate) this.#giveBack(check.tenant, asked);
      warnOfKey(error.reason, this.#toldOfKey);
      // A flood must not buy freedom from limits that fail open.
      const decided = error instanceof CapacityFull ? 'closed' : policy;
      return unaskedDecision(check, decided, error.reason);
    }
  }

  async settle(reservationId: string, real: RealCost): Promise<SettleView> {
    const body = { reservation_id: reservationId, ...wireCosts(real) };
    const answer = await this.#follow('settle', real.tenant, body);
    if (answer === null) return { kind: 'unknown' };
    isSaid(answer, 'settled');
    const { settled, late, debt, cost, costs } = answer as SettledBody;
    const byUnit = { ...costs, requests: cost };
    return { kind: settled ? 'settled' : 'repeated', late, debt, costs: byUnit };
  }

  async refund(decision: DecisionView, part: Omit<RealCost, 'tenant'> = {}): Promise<boolean> {
    const body = { decision_id: decision.decisionId, ...wireCosts(part) };
    const answer = await this.#follow('refund', this.#tenants.get(decision), body);
    return isSaid(answer, 'refunded');
  }

  async release(ticket: string, { tenant }: { readonly tenant?: string } = {}): Promise<boolean> {
    const answer = await this.#follow('release', tenant, { ticket });
    return isSaid(answer, 'released');
  }

  async heartbeat({ ttlMs, tenant, ...held }: Held): Promise<boolean> {
    const named = 'ticket' in held ? held : { reservation_id: held.reservationId };
    const body = { ...named, ...(ttlMs !== undefined && { ttl_ms: ttlMs }) };
    const answer = await this.#follow('heartbeat', tenant, body);
    return isSaid(answer, 'renewed');
  }

  /** Null where the service does not know what is meant: as a limiter, for which it is gone. */
  async #follow(verb: string, tenant: string | undefined, body: object): Promise<unknown> {
    const { transport, keyOf } = this.#parts;
    try {
      return await transport.post(`/v1/${verb}`, keyOf(tenant), body);
    } catch (error) {
      if (error instanceof StoreFailure && error.reason.startsWith('unknown_')) return null;
      throw error;
    }
  }

  /** An answer that came too late for anybody: what it holds would be held until it runs out. */
  #giveBack(tenant: string | undefined, asked: Promise<DecisionView>): void {
    const named = tenant === undefined ? {} : { tenant };
    const giveBack = async () => {
      const { ticket, reservation } = await asked;
      if (ticket !== null) await this.release(ticket, named);
      if (reservation) await this.settle(reservation.id, { cost: 0, ...named });
    };
    // Where that fails it runs out by itself.
    giveBack().catch(() => {});
  }
}

/** Null: it is not known there. */
function isSaid(answer: unknown, field: string): boolean {
  if (answer === null) return false;
  const said = (answer as Record<string, unknown>)[field];
  if (typeof said === 'boolean') return said;
  throw new StoreFailure('unreadable');
}

type SettledBody = {
  readonly settled: boolean;
  readonly late: boolean;
  readonly debt: number;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
};

function withoutTenant(check: PortCheck): PortCheck {
  const rest: { -readonly [Field in keyof PortCheck]: PortCheck[Field] } = { ...check };
  delete rest.tenant;
  return rest;
}

export function requireKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new InvalidInput('apiKey', 'must be a key of the service; there is none for this tenant');
}
