import { Deadline } from 'sluice';
import type {
  ChargeRefund,
  Engine,
  Heartbeat,
  HeartbeatResult,
  QuotaSeed,
  RefundResult,
  ReleaseResult,
  Settlement,
  SettleResult,
  TenantRef,
} from 'sluice/core';
import type { Asker, Decider } from './decider.ts';

export type SettlementsParts = {
  readonly decider: Pick<Decider, 'admitCurrent'>;
  readonly engine: Pick<Engine, 'settle' | 'release' | 'heartbeat' | 'refundCharge'>;
  /** Remembers what is used of quotas, should the store forget. */
  readonly quotas: { noteUsed(tenant: TenantRef, seeds: readonly QuotaSeed[]): void };
};

/** Longer than a decision may take: nobody is held up by this, and all of it may be asked again. */
const waitMs = 1000;

/**
 * What callers say after their checks: what it really cost, that they are done, that they are still
 * at it, that they want some of it back. A store that does not answer is thrown.
 */
export class Settlements {
  readonly #parts: SettlementsParts;
  readonly #deadline = new Deadline(waitMs);

  constructor(parts: SettlementsParts) {
    this.#parts = parts;
  }

  async settle(asker: Asker, settlement: Settlement): Promise<SettleResult> {
    const { engine, quotas } = this.#parts;
    const tenant = await this.#tenantOf(asker);
    const result = await this.#deadline.run(engine.settle(tenant, settlement));
    if (result.kind !== 'unknown') quotas.noteUsed(tenant, result.quotas);
    return result;
  }

  async release(asker: Asker, ticket: string): Promise<ReleaseResult> {
    const tenant = await this.#tenantOf(asker);
    return this.#deadline.run(this.#parts.engine.release(tenant, ticket));
  }

  async heartbeat(asker: Asker, beat: Heartbeat): Promise<HeartbeatResult> {
    const tenant = await this.#tenantOf(asker);
    return this.#deadline.run(this.#parts.engine.heartbeat(tenant, beat));
  }

  async refund(asker: Asker, refund: ChargeRefund): Promise<RefundResult> {
    const tenant = await this.#tenantOf(asker);
    return this.#deadline.run(this.#parts.engine.refundCharge(tenant, refund));
  }

  /** None of these would tell that the key was revoked meanwhile: so that is asked first. */
  async #tenantOf(asker: Asker): Promise<TenantRef> {
    return (await this.#parts.decider.admitCurrent(asker)).snapshot.ref;
  }
}
