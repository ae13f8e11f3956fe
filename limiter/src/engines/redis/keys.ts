import type { BoundLimit, TenantRef } from '../../core/engine.ts';
import { inOnePiece } from '../../core/in-one-piece.ts';
import { joined } from '../../core/limit.ts';
import { CounterNames } from '../names/counter-names.ts';
import { RecentMap } from '../../core/recent-map.ts';
import { KeyedHash } from '../names/keyed-hash.ts';
import { slotOfTag } from './hash-slot.ts';
import { TicketMarks } from '../names/ticket-marks.ts';

/** Of those who do not keep it themselves. */
const tenantsRememberedMax = 10_000;

/**
 * The only place that spells a Redis key: `sl1:{tenant}:limit` + identity. All keys of a tenant
 * share its hash tag and so a slot. Names, subjects and tenants appear as keyed hashes only: of one
 * length whatever the text, and meaningless without the secret. `1` is the version of the formats.
 */
export class Keys {
  /**
   * What every key of a global limit begins with: one tag for all of them, so that a check asks one
   * slot about them, however many they are. It is shorter than any tenant's.
   */
  readonly global: string;
  readonly tickets: TicketMarks;
  readonly #prefix: string;
  readonly #hash: KeyedHash;
  readonly #counters: CounterNames;
  readonly #tenants = new RecentMap<string>(tenantsRememberedMax);

  constructor({ prefix, secret }: { readonly prefix: string; readonly secret: string }) {
    this.#prefix = `${prefix}1:`;
    this.global = `${this.#prefix}${globalTag}:`;
    this.#hash = new KeyedHash(secret);
    this.#counters = new CounterNames(this.#hash);
    this.tickets = new TicketMarks(this.#hash);
  }

  /** What every key of the tenant begins with. */
  tenant({ id, generation = 0, notes }: TenantRef): string {
    if (!notes) return this.#remembered(id, generation);
    if (notes.namedBy !== this) {
      notes.namedBy = this;
      notes.name = this.#spelled(id, generation);
    }
    return notes.name;
  }

  #remembered(id: string, generation: number): string {
    if (generation > 0) return this.#spelled(id, generation);
    let tenant = this.#tenants.get(id);
    if (tenant === undefined) {
      tenant = this.#spelled(id, generation);
      this.#tenants.set(id, tenant);
    }
    return tenant;
  }

  #spelled(id: string, generation: number): string {
    return inOnePiece(`${this.#prefix}{${this.#tag(id)}}${generation > 0 ? generation : ''}:`);
  }

  /** Where a cluster keeps all of the tenant's counters. */
  slotOf({ id }: TenantRef): number {
    return slotOfTag(this.#tag(id));
  }

  #tag(id: string): string {
    return this.#hash.of(`t${id}`).slice(0, tagLength);
  }

  /** The part of a counter's key after the prefix. */
  counter(bound: BoundLimit): string {
    return this.#counters.of(bound);
  }

  /** The whole key of a counter, for who asks under this prefix. */
  counterOf(prefix: string, bound: BoundLimit): string {
    return (bound.limit.global ? this.global : prefix) + this.#counters.of(bound);
  }

  answer(scope: string, key: string): string {
    return `i${this.#hash.of(`i${joined([scope, key])}`)}`;
  }

  /** Tells questions apart without keeping what they said. */
  fingerprint(text: string): string {
    return this.#hash.of(`f${text}`);
  }

  /** What a tenant may make of global counters, where it can't be counted with its own. */
  globalAllowance({ id }: TenantRef): string {
    return `${this.global}${countersAllowanceSuffix}${this.#tag(id)}`;
  }

  /** That a charge of the tenant was refunded, where that can't be noted with its own. */
  globalRefund(tenant: TenantRef, id: string): string {
    return this.global + this.refund(joined([tenant.id, String(tenant.generation ?? 0), id]));
  }

  shield = (text: string): string => `s${this.#hash.of(`s${text}`)}`;
  reservation = (id: string): string => `r${this.#hash.of(`r${id}`)}`;
  charge = (id: string): string => `c${this.#hash.of(`c${id}`)}`;
  refund = (id: string): string => `b${this.#hash.of(`b${id}`)}`;
  ledgerBatch = (number: number): string => `u${this.#hash.of(`u${number}`)}`;
  ledgerWriter = (name: string): string => `v${this.#hash.of(`v${name}`)}`;
}

const tagLength = 16;
const globalTag = '{global}';

/** Whether a key is of a global limit: a tenant's tag is longer. */
export function isGlobalKey(key: string): boolean {
  return key.includes(globalTag);
}

/** Suffixes of keys that are one per tenant; no hash is this short. */
export const epochSuffix = 'e';
export const ledgerSuffix = 'u';
export const ledgerDroppedSuffix = 'd';
export const countersAllowanceSuffix = 'n';
export const recordsAllowanceSuffix = 'm';
export const chargesAllowanceSuffix = 'k';
export const reservationsAllowanceSuffix = 'j';
export const holdsSuffix = 'h';
export const penaltySuffix = 'p';
