import { algorithmOf, type Opaque } from '../../core/algorithms/index.ts';
import type { WindowState } from '../../core/algorithms/window.ts';
import {
  type Heartbeat,
  type HeartbeatResult,
  type QuotaSeed,
  type Settlement,
  type SettleResult,
  type TenantRef,
} from '../../core/engine.ts';
import { costsByUnit, ownCost } from '../../core/costs.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { RedisClient } from './client.ts';
import { readState, ReplyReader, wholeIn } from './decode.ts';
import { keptText, type KeptLimit } from './kept-limit.ts';
import { holdsSuffix, type Keys } from './keys.ts';
import { numbersOf } from './limit-text.ts';
import { run } from './script.ts';
import type { Scripts } from './scripts.ts';

/** What `decide` wrote down of a reservation. */
type Reserved = { readonly ttlMs: number; readonly limits: readonly KeptLimit[] };

/**
 * Settles and renews what `decide` reserved. The record says which counters are held, so that any
 * process can do it: one call to read it, one to act on it.
 */
export class Reservations {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #scripts: Scripts;

  constructor(client: RedisClient, keys: Keys, scripts: Scripts) {
    this.#client = client;
    this.#keys = keys;
    this.#scripts = scripts;
  }

  async settle(tenant: TenantRef, { reservationId, costs }: Settlement): Promise<SettleResult> {
    const found = await this.#find(tenant, reservationId);
    if (!found) return { kind: 'unknown' };
    const { limits, keys } = found;
    const real = limits.map(({ unit, cost }) => ownCost(costs, unit) ?? cost);
    const args = limits.flatMap((limit, at) => [
      keptText(limit, { key: 2 + 2 * at, cost: real[at] as number }),
      String(limit.cost),
    ]);
    const first = `${reservationId} ${limits.length} ${real.join()}`;
    return settledOf(
      limits,
      new ReplyReader(await run(this.#client, this.#scripts.settle, keys, [first, ...args])),
    );
  }

  async renew(
    tenant: TenantRef,
    { reservationId, ttlMs }: Extract<Heartbeat, { reservationId: string }>,
  ): Promise<HeartbeatResult> {
    const found = await this.#find(tenant, reservationId);
    if (!found) return { kind: 'unknown' };
    const { limits, keys } = found;
    const args = limits.map((limit, at) => keptText(limit, { key: 2 + 2 * at, cost: limit.cost }));
    const first = `${reservationId} ${(ttlMs ?? found.ttlMs) * 1000} ${limits.length}`;
    const script = this.#scripts.renewReservation;
    const untilUs = wholeIn(await run(this.#client, script, keys, [first, ...args]));
    return untilUs > 0 ? { kind: 'held', untilUs } : { kind: 'gone' };
  }

  async #find(tenant: TenantRef, reservationId: string) {
    const prefix = this.#keys.tenant(tenant);
    const record = prefix + this.#keys.reservation(reservationId);
    const text = await run(this.#client, this.#scripts.readRecord, [record], []);
    if (text === null) return null;
    const { ttlMs, limits } = parseReserved(text);
    const keys = limits.flatMap(({ key }) => [prefix + key, prefix + key + holdsSuffix]);
    return { ttlMs, limits, keys: [record, ...keys] };
  }
}

function settledOf(limits: readonly KeptLimit[], reader: ReplyReader): SettleResult {
  const status = reader.number();
  if (status === -1) return { kind: 'unknown' };
  const nowUs = reader.number();
  const late = reader.number() === 1;
  const settledAt = reader.text().split(',').map(Number);
  const quotas: QuotaSeed[] = [];
  let debt = 0;
  for (const { algorithm, key, global } of limits) {
    if (reader.number() === 0) continue;
    const [a, b, c] = [reader.number(), reader.number(), reader.number()];
    const state = readState(reader, algorithm);
    const numbers = numbersOf(algorithm, [a, b, c]);
    const { used } = algorithmOf(numbers.algorithm).show(numbers, state, 0, nowUs);
    debt = Math.max(debt, used - a);
    if (algorithm === 'quota') quotas.push(quotaOf({ counter: key, global }, state));
  }
  const costs = costsByUnit(limits.map(({ unit }, at) => ({ unit, cost: settledAt[at] ?? 0 })));
  return { kind: status === 1 ? 'settled' : 'repeated', late, debt, costs, quotas };
}

function quotaOf(of: Pick<QuotaSeed, 'counter' | 'global'>, state: Opaque): QuotaSeed {
  const { startUs, endUs, used } = state as WindowState;
  return { ...of, period: { startUs, endUs }, used };
}

function parseReserved(text: unknown): Reserved {
  const [, blob] = typeof text === 'string' ? (/^[^|]*\|(\{.*\})$/s.exec(text) ?? []) : [];
  if (blob === undefined) throw new StoreFailure('malformed reply');
  return JSON.parse(blob) as Reserved;
}
