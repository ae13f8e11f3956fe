import type { Engine, TenantRef } from 'sluice/core';

/** Of several stores with the same names for counters, each tenant's. */
export function placedEngine(
  engineOf: (tenant: TenantRef) => Engine | Promise<Engine>,
  names: Pick<Engine, 'counterName'>,
): Engine {
  const at = async <T>(tenant: TenantRef, work: (engine: Engine) => Promise<T>): Promise<T> =>
    work(await engineOf(tenant));
  return {
    decide: (call) => at(call.tenant, (engine) => engine.decide(call)),
    settle: (tenant, settlement) => at(tenant, (engine) => engine.settle(tenant, settlement)),
    refund: (tenant, refund) => at(tenant, (engine) => engine.refund(tenant, refund)),
    refundCharge: (tenant, refund) => at(tenant, (engine) => engine.refundCharge(tenant, refund)),
    debit: (tenant, debit) => at(tenant, (engine) => engine.debit(tenant, debit)),
    release: (tenant, ticket) => at(tenant, (engine) => engine.release(tenant, ticket)),
    heartbeat: (tenant, beat) => at(tenant, (engine) => engine.heartbeat(tenant, beat)),
    abandon: (tenant, question) => at(tenant, (engine) => engine.abandon(tenant, question)),
    inspect: (tenant, limits) => at(tenant, (engine) => engine.inspect(tenant, limits)),
    reset: (tenant, limits) => at(tenant, (engine) => engine.reset(tenant, limits)),
    unblock: (tenant, limits) => at(tenant, (engine) => engine.unblock(tenant, limits)),
    counterName: (bound) => names.counterName(bound),
    seed: (tenant, seeds) => at(tenant, (engine) => engine.seed(tenant, seeds)),
    publishEpoch: (tenant, epoch) => at(tenant, (engine) => engine.publishEpoch(tenant, epoch)),
    record: (tenant, record) => at(tenant, (engine) => engine.record(tenant, record)),
    takeLedger: (tenant, batch) => at(tenant, (engine) => engine.takeLedger(tenant, batch)),
    dropLedger: (tenant, batch) => at(tenant, (engine) => engine.dropLedger(tenant, batch)),
    hasLedger: (tenant, batch) => at(tenant, (engine) => engine.hasLedger(tenant, batch)),
    close: async () => {},
  };
}
