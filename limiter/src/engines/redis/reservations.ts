import { algorithmOf, type Opaque } from '../../core/algorithms/index.ts';
import { ownCost, type Settlement, type SettleResult, type TenantRef } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { RedisClient } from './client.ts';
import { readState, ReplyReader, wholeIn } from './decode.ts';
import type { ReservedLimit } from './encode.ts';
import { holdsSuffix, type Keys } from './keys.ts';
import { numbersIn } from './limit-text.ts';
import { run } from './script.ts';
import type { Scripts } from './scripts.ts';

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
    const args = limits.flatMap((limit, index) => [
      textOf(limit, { index, cost: ownCost(costs, limit.unit) ?? limit.cost }),
      String(limit.cost),
    ]);
    const reply = await run(this.#client, this.#scripts.settle, keys, [
      `${reservationId} ${limits.length}`,
      ...args,
    ]);
    const reader = new ReplyReader(reply);
    const status = reader.number();
    if (status === -1) return { kind: 'unknown' };
    if (status === 0) return { kind: 'repeated' };
    const nowUs = reader.number();
    const late = reader.number() === 1;
    const debts = limits.map((limit) => {
      if (reader.number() === 0) return 0;
      const state = readState(reader, limit.algorithm);
      return debtOf(limit, state, nowUs);
    });
    return { kind: 'settled', late, debt: Math.max(0, ...debts) };
  }

  async renew(
    tenant: TenantRef,
    { reservationId, ttlMs }: { readonly reservationId: string; readonly ttlMs: number },
  ): Promise<boolean> {
    const found = await this.#find(tenant, reservationId);
    if (!found) return false;
    const { limits, keys } = found;
    const args = limits.map((limit, index) => textOf(limit, { index, cost: limit.cost }));
    const first = `${reservationId} ${ttlMs * 1000} ${limits.length}`;
    const script = this.#scripts.renewReservation;
    return wholeIn(await run(this.#client, script, keys, [first, ...args])) === 1;
  }

  async #find(tenant: TenantRef, reservationId: string) {
    const prefix = this.#keys.tenant(tenant);
    const record = prefix + this.#keys.reservation(reservationId);
    const text = await run(this.#client, this.#scripts.readReservation, [record], []);
    if (text === null) return null;
    const limits = parseBlob(text);
    const keys = limits.flatMap(({ key }) => [prefix + key, prefix + key + holdsSuffix]);
    return { limits, keys: [record, ...keys] };
  }
}

/** The limit's argument with its place and cost: the counters stand at KEYS 2, 4, 6, … */
function textOf(limit: ReservedLimit, { index, cost }: { index: number; cost: number }): string {
  const [head = '', , , ...numbers] = limit.text.split(' ');
  return [head, 2 + 2 * index, cost, ...numbers].join(' ');
}

/** How much more is used than there is. */
function debtOf(limit: ReservedLimit, state: Opaque, nowUs: number): number {
  const numbers = numbersIn(limit.text, limit.algorithm);
  const { used } = algorithmOf(numbers.algorithm).show(numbers, state, 0, nowUs);
  return Math.max(0, used - limit.size);
}

function parseBlob(text: unknown): ReservedLimit[] {
  const [, blob] = typeof text === 'string' ? (/^[^|]*\|(\[.*\])$/s.exec(text) ?? []) : [];
  if (blob === undefined) throw new StoreFailure('malformed reply');
  return JSON.parse(blob) as ReservedLimit[];
}
