import {
  type BoundLimit,
  type ChargeRefund,
  type DebitCall,
  type RefundCall,
  type RefundResult,
  type TenantRef,
} from '../../core/engine.ts';
import { costsByUnit, ownCost } from '../../core/costs.ts';
import { StoreFailure } from '../../core/errors.ts';
import { chargeKeptMsMax, debitMark, refundableMs } from '../../core/refundable.ts';
import type { RedisClient } from './client.ts';
import { wholeIn } from './decode.ts';
import { keptText, type KeptLimit } from './kept-limit.ts';
import { holdsSuffix, type Keys } from './keys.ts';
import type { LimitTexts } from './limit-text.ts';
import { run, type Script } from './script.ts';
import type { Scripts } from './scripts.ts';

export type RefundsPlace = {
  readonly client: RedisClient;
  readonly scripts: Scripts;
  readonly keys: Keys;
  readonly texts: LimitTexts;
};

/** What is given back of one limit. */
type Given = { readonly key: string; readonly global: boolean; readonly textAt: TextAt };
type TextAt = (key: number) => string;

/** Done once under its id. */
type Doing = {
  readonly id: string;
  readonly script: Script;
  /** What the script is told besides the limits. */
  readonly start: string;
  readonly given: readonly Given[];
};

/** Gives back what was charged, once for each charge. */
export class Refunds {
  readonly #place: RefundsPlace;

  constructor(place: RefundsPlace) {
    this.#place = place;
  }

  /** Of a charge that the caller knows. */
  refund(tenant: TenantRef, call: RefundCall): Promise<boolean> {
    const { id, limits, chargedAtUs, rememberMs = refundableMs(limits) } = call;
    const given = this.#given(limits);
    return this.#once(tenant, { id, given, ...this.#givingBack(chargedAtUs, rememberMs) });
  }

  /** The opposite, for what was let in elsewhere. */
  debit(tenant: TenantRef, call: DebitCall): Promise<boolean> {
    const { id, limits, rememberMs = refundableMs(limits) } = call;
    const given = this.#given(limits);
    const { debit: script } = this.#place.scripts;
    const start = String(rememberMs);
    return this.#once(tenant, { id: debitMark(id), script, start, given });
  }

  #given(limits: readonly BoundLimit[]): Given[] {
    const { keys, texts } = this.#place;
    return limits.filter(isCharged).map((bound): Given => {
      const { limit, cost } = bound;
      const textAt: TextAt = (key) => texts.of(limit, { key, cost });
      return { key: keys.counter(bound), global: limit.global, textAt };
    });
  }

  /** Of one that was kept. */
  async refundCharge(tenant: TenantRef, { id, costs }: ChargeRefund): Promise<RefundResult> {
    const { client, scripts, keys } = this.#place;
    const record = keys.tenant(tenant) + keys.charge(id);
    const text = await run(client, scripts.readRecord, [record], []);
    if (text === null) return { kind: 'unknown' };
    const { chargedAtUs, limits } = parseCharge(text);
    const back = limits.flatMap((limit) => {
      const cost = Math.min(limit.cost, costs ? (ownCost(costs, limit.unit) ?? 0) : limit.cost);
      return cost > 0 ? [{ ...limit, cost }] : [];
    });
    if (back.length === 0) return { kind: 'refunded', costs: {} };
    const given = back.map((limit): Given => {
      const { key, global, cost } = limit;
      return { key, global, textAt: (at) => keptText(limit, { key: at, cost }) };
    });
    // The record is gone before that it was refunded is forgotten.
    const doing = { id, given, ...this.#givingBack(chargedAtUs, chargeKeptMsMax) };
    if (!(await this.#once(tenant, doing))) return { kind: 'repeated' };
    return { kind: 'refunded', costs: costsByUnit(back) };
  }

  /** `ttlMs` is how long it is remembered that it was done. */
  #givingBack(chargedAtUs: number, ttlMs: number): Pick<Doing, 'script' | 'start'> {
    return { script: this.#place.scripts.refund, start: `${chargedAtUs} ${ttlMs}` };
  }

  async #once(tenant: TenantRef, { id, script, start, given: all }: Doing): Promise<boolean> {
    for (const { given, global } of this.#bySlot(all)) {
      const { client, keys } = this.#place;
      const prefix = keys.tenant(tenant);
      const names = [global ? keys.globalRefund(tenant, id) : prefix + keys.refund(id)];
      const args = [start];
      for (const one of given) {
        const name = (one.global ? keys.global : prefix) + one.key;
        names.push(name, name + holdsSuffix);
        args.push(one.textAt(names.length - 1));
      }
      if (wholeIn(await run(client, script, names, args)) === 0) return false;
    }
    return true;
  }

  /**
   * On a cluster what is global is given back by itself. The tenant's slot comes first, for its mark
   * says whether the charge was refunded. Who dies in between leaves what is global charged: then less
   * is let in than could be, and it runs out like any other charge.
   */
  #bySlot(given: readonly Given[]): { given: readonly Given[]; global: boolean }[] {
    const global = given.filter((one) => one.global);
    if (!this.#place.client.cluster || global.length === 0) return [{ given, global: false }];
    const own = given.filter((one) => !one.global);
    return [
      { given: own, global: false },
      { given: global, global: true },
    ];
  }
}

function isCharged({ limit }: BoundLimit): boolean {
  return limit.numbers.algorithm !== 'concurrency';
}

/** "charged_at charged|blob": only the limits that were charged. */
function parseCharge(text: unknown): { chargedAtUs: number; limits: readonly KeptLimit[] } {
  const match = typeof text === 'string' ? /^(\d+) ([01]*)\|(\[.*\])$/s.exec(text) : null;
  if (!match) throw new StoreFailure('malformed reply');
  const [, atUs, charged = '', blob = '[]'] = match;
  const limits = (JSON.parse(blob) as KeptLimit[]).filter((_, at) => charged[at] === '1');
  return { chargedAtUs: Number(atUs), limits };
}
