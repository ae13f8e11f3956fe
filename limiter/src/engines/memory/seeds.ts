import type { WindowState } from '../../core/algorithms/window.ts';
import type { BoundLimit, QuotaSeed, TenantRef } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { requireCounterName, type CounterNames } from '../names/counter-names.ts';
import { bookKeyOf } from './books.ts';
import type { Desk } from './desk.ts';
import { ExpiringMap, type Entry } from './expiring-map.ts';

const globalKey = 'global';

/**
 * What is known of quotas by name. Counters are found by whom they count, which a name does not
 * tell: so each seed waits until its counter is first looked at, or its period is over.
 */
export class Seeds {
  readonly #names: CounterNames;
  readonly #seedsPerTenantMax: number;
  readonly #tenants = new Map<string, ExpiringMap<WindowState>>();

  constructor(names: CounterNames, seedsPerTenantMax: number) {
    this.#names = names;
    this.#seedsPerTenantMax = seedsPerTenantMax;
  }

  /** While none do, nobody pays for them. */
  get waiting(): boolean {
    return this.#tenants.size > 0;
  }

  add(tenant: TenantRef, { counter, global, period, used }: QuotaSeed, nowUs: number): void {
    requireCounterName(counter);
    const { startUs, endUs } = period;
    if (nowUs < startUs || nowUs >= endUs) return;
    const seeds = this.#at(global ? globalKey : bookKeyOf(tenant));
    const known = seeds.get(counter, nowUs);
    if (known && (known.startUs !== startUs || known.used >= used)) return;
    const kept = { expiresAtUs: known?.endUs ?? endUs, nowUs };
    // What is not remembered could be used again.
    if (seeds.set(counter, { startUs, endUs: kept.expiresAtUs, used }, kept)) return;
    throw new StoreFailure('too many seeds');
  }

  #at(key: string): ExpiringMap<WindowState> {
    let seeds = this.#tenants.get(key);
    if (!seeds) this.#tenants.set(key, (seeds = new ExpiringMap(this.#seedsPerTenantMax)));
    return seeds;
  }

  /** The seed of this counter, which waits no longer. */
  take(tenant: TenantRef, bound: BoundLimit, nowUs: number): WindowState | undefined {
    if (bound.limit.numbers.algorithm !== 'quota') return undefined;
    const key = bound.limit.global ? globalKey : bookKeyOf(tenant);
    const seeds = this.#tenants.get(key);
    if (!seeds) return undefined;
    const name = this.#names.of(bound);
    const seed = seeds.get(name, nowUs);
    seeds.delete(name);
    if (seeds.size === 0) this.#tenants.delete(key);
    return seed;
  }

  sweep(nowUs: number): void {
    for (const [key, seeds] of this.#tenants) {
      seeds.sweep(nowUs);
      if (seeds.size === 0) this.#tenants.delete(key);
    }
  }

  dump(): (readonly [string, [string, Entry<WindowState>][]])[] {
    return [...this.#tenants].map(([key, seeds]) => [key, seeds.dump()]);
  }

  restore(key: string, seeds: readonly [string, Entry<WindowState>][]): void {
    this.#at(key).restore(seeds);
  }
}

/** Raises the limit's counter to its seed, if there is one. */
export function plantSeed({ cells, seeds, tenant, nowUs }: Desk, bound: BoundLimit): void {
  const seed = seeds.take(tenant.tenant, bound, nowUs);
  if (!seed) return;
  const found = cells.find(tenant, bound);
  const known = found === undefined ? undefined : cells.stateOf(found, bound.limit);
  const { startUs, endUs, used } = (known ?? seed) as WindowState;
  const counts = known !== undefined && nowUs < endUs;
  if (counts && (startUs !== seed.startUs || used >= seed.used)) return;
  const cell = found ?? cells.make(tenant, bound);
  // A period that runs ends as it was announced.
  const state = counts ? { startUs, endUs, used: seed.used } : seed;
  cells.setState(cell, bound.limit, state);
  cells.keepUntil(cell, state.endUs);
}
