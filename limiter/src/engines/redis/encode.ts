import type { BoundLimit, DecideCall, Question, Reading, TenantRef } from '../../core/engine.ts';
import { joined, overflowOf } from '../../core/limit.ts';
import { listOf } from '../../core/list.ts';
import {
  chargesAllowanceSuffix,
  countersAllowanceSuffix,
  epochSuffix,
  holdsSuffix,
  ledgerSuffix,
  penaltySuffix,
  recordsAllowanceSuffix,
  reservationsAllowanceSuffix,
  type Keys,
} from './keys.ts';
import { chargeKeptMs } from '../../core/refundable.ts';
import { hasSlots } from './decode.ts';
import type { KeptLimit } from './kept-limit.ts';
import type { LimitTexts } from './limit-text.ts';
import { algorithmBit, features } from './scripts.ts';

export type Allowances = {
  /**
   * New counters a tenant may make in an hour, those that live shorter counting by their share of
   * it; newcomers beyond share one counter for each limit.
   */
  readonly countersPerHour: number;
  /** Idempotency records a tenant may make in an hour, and charges it may keep, each for a day. */
  readonly recordsPerHour: number;
  /** Reservations a tenant may make in an hour; one beyond is a failed store. Default 250,000. */
  readonly reservationsPerHour?: number;
};

export type EncodeContext = {
  readonly keys: Keys;
  readonly texts: LimitTexts;
  readonly allowances: Allowances | null;
  /** The script packs its reply. */
  readonly packs: boolean;
};

/** A call as `decide.lua` reads it, and what must be linked for it. */
export type Encoded = {
  /** The bits of the algorithms and features that the call uses. */
  readonly uses: number;
  readonly keys: readonly string[];
  /** The list of numbers, and texts: all but the epoch. The very same list where two calls ask alike. */
  readonly args: readonly string[];
  /** What follows the numbers where there is one. */
  readonly epoch: string | null;
};

/** What is asked of one slot. */
export type SlotCall = {
  readonly tenant: TenantRef;
  readonly questions: readonly Part[];
  readonly snapshot?: DecideCall['snapshot'];
  /** The slot is that of global limits, on a cluster. */
  readonly global?: boolean;
  /** What has expired by then was swept; what expires while we ask counts on. Absent: none was. */
  readonly sweptUntilUs?: number;
};

/** What one slot is asked of a question: all of it, or on a cluster its part. */
export type Part = Question & { readonly elsewhere?: Elsewhere };

/** The part of a question that another slot is asked. */
export type Elsewhere = {
  /** `pending`: it is asked after this one, and has the last word. */
  readonly verdict: 'ok' | 'refused' | 'warned' | 'pending';
  readonly limits: readonly BoundLimit[];
  /** What was seen there, to be kept in this slot's record of the answer. */
  readonly readings: readonly Reading[];
  /** The same limits, or their overflow counters where those were charged. */
  readonly counted: readonly BoundLimit[];
};

const elsewhereFlags = { ok: '0', refused: '1', warned: '2', pending: '3' } as const;

const never = Number.MAX_SAFE_INTEGER;
const dayMs = 86_400_000;
const reservationsPerHourDefault = 250_000;
const noOverflow: ReadonlySet<string> = new Set();

/** Questions of one form that follow each other, each with no more of its own than its keys. */
type Run = {
  readonly form: number;
  /** How many keys stand before theirs. */
  readonly before: number;
  /** The form, where it is new. */
  readonly spelled: string;
  /** `null` where no other may follow. */
  readonly first: Part | null;
  count: number;
};

function spelledRun({ form, before, count, spelled }: Run): string {
  return `,${form},${before},${count}${spelled}`;
}

/** Spells a call out. */
export class EncodedCall implements Encoded {
  readonly keys: string[] = [];
  readonly args: string[] = [''];
  readonly epoch: string | null;
  uses = 0;
  readonly #prefix: string;
  readonly #context: EncodeContext;
  readonly #overflowing: ReadonlySet<string>;
  /** Of several questions, where keys stand that are one per tenant. */
  readonly #positions: Map<string, number> | null;
  /** Of several questions, what was asked in which form. */
  readonly #forms: Map<string, number> | null;
  readonly #limits: (BoundLimit | undefined)[] = [];
  readonly #snapshot: DecideCall['snapshot'];
  /** The only question, where another tenant may ask the same with no more of its own than keys. */
  readonly #only: Part | null;
  /** What the next question may join. */
  #run: Run | null = null;

  constructor(call: SlotCall, context: EncodeContext, overflowing = noOverflow) {
    const { tenant, questions, snapshot, global = false, sweptUntilUs = 0 } = call;
    const { allowances } = context;
    this.#prefix = context.keys.tenant(tenant);
    this.#context = context;
    this.#overflowing = overflowing;
    this.#positions = questions.length > 1 ? new Map() : null;
    this.#forms = questions.length > 1 ? new Map() : null;
    this.#snapshot = snapshot;
    const mayRepeat = !global && sweptUntilUs === 0 && overflowing.size === 0;
    this.#only = mayRepeat ? lonePlain(questions) : null;
    if (context.packs) this.uses = features.packed;
    this.epoch = epochText(snapshot);
    if (snapshot) this.#use(features.epoch, epochSuffix);
    const asked = this.#ask(questions);
    this.args[0] = `[${allowances?.countersPerHour ?? -1},${sweptUntilUs}${asked}]`;
    if (allowances) {
      this.uses |= features.allowance;
      this.keys.push(
        global ? context.keys.globalAllowance(tenant) : this.#prefix + countersAllowanceSuffix,
      );
    }
  }

  /** Another tenant's call, if it says the same but for names: those on one plan mostly ask alike. */
  repeated({ tenant, questions, snapshot }: SlotCall): Encoded | null {
    const only = lonePlain(questions);
    if (!only || !this.#only || !asksAlike(this.#only, only)) return null;
    const mine = this.#snapshot;
    if (mine?.validUntilUs !== snapshot?.validUntilUs || mine?.confirmed !== snapshot?.confirmed) {
      return null;
    }
    if ((mine === undefined) !== (snapshot === undefined)) return null;
    const { keys, allowances } = this.#context;
    const prefix = keys.tenant(tenant);
    const names: string[] = [];
    if (snapshot) names.push(prefix + epochSuffix);
    if (only.ledgerLabel !== undefined) names.push(prefix + ledgerSuffix);
    for (const bound of only.limits) {
      const key = keys.counterOf(prefix, bound);
      names.push(key);
      if (bound.limit.penalty) names.push(key + penaltySuffix);
    }
    if (allowances) names.push(prefix + countersAllowanceSuffix);
    return { uses: this.uses, keys: names, args: this.args, epoch: epochText(snapshot) };
  }

  /** Spells the snapshot's numbers and all questions. */
  #ask(questions: readonly Part[]): string {
    let asked = '';
    if (this.#snapshot) {
      const { validUntilUs = never, confirmed } = this.#snapshot;
      asked = `,${validUntilUs},${confirmed ? 1 : 0}`;
    }
    for (const question of questions) {
      if (this.#joins(question)) continue;
      if (this.#run) asked += spelledRun(this.#run);
      this.#run = this.#begin(question);
    }
    return this.#run ? asked + spelledRun(this.#run) : asked;
  }

  /** The limit whose counter stands at this position of KEYS. */
  limitAt(position: number): BoundLimit | undefined {
    return this.#limits[position];
  }

  /** The position of a key that is one per tenant. */
  #use(feature: number, suffix: string): number {
    this.uses |= feature;
    const known = this.#positions?.get(suffix);
    if (known !== undefined) return known;
    const position = this.keys.push(this.#prefix + suffix);
    this.#positions?.set(suffix, position);
    return position;
  }

  /** Mostly one asks what the last did: then its keys are all there is to say. */
  #joins(question: Part): boolean {
    const run = this.#run;
    if (!run?.first || !isPlain(question) || !asksAlike(run.first, question)) return false;
    for (const bound of question.limits) this.#key(bound, bound, false);
    run.count += 1;
    return true;
  }

  #begin(question: Part): Run {
    const { limits, peek, ledgerLabel, idempotency, reserve, elsewhere } = question;
    const at = this.args.length;
    if (idempotency) this.#record(question);
    if (reserve) this.#reservation(question);
    const slots = limits.some(hasSlots);
    if (slots) this.args.push(question.id);
    const charge = isChargeKept(question);
    if (charge) this.#charge(question);
    let spelled =
      (peek ? ',"1' : ',"0') +
      (ledgerLabel === undefined ? '0' : '1') +
      (idempotency ? '1' : '0') +
      (reserve ? '1' : '0') +
      (slots ? '1' : '0') +
      (elsewhere ? elsewhereFlags[elsewhere.verdict] : '0') +
      (charge ? '1",' : '0",') +
      limits.length;
    if (ledgerLabel !== undefined) spelled += `,${this.#use(features.ledger, ledgerSuffix)}`;
    const before = this.keys.length;
    for (const bound of limits) spelled += this.#limit(bound, reserve !== undefined);
    const mayRepeat = this.#forms !== null && this.#overflowing.size === 0 && isPlain(question);
    const first = mayRepeat ? question : null;
    const name = ledgerLabel === undefined ? spelled : `${spelled} ${ledgerLabel}`;
    const known = this.#forms?.get(name);
    if (known !== undefined) return { form: known, before, spelled: '', first, count: 1 };
    const form = (this.#forms?.size ?? 0) + 1;
    this.#forms?.set(name, form);
    if (ledgerLabel !== undefined) {
      if (at === this.args.length) this.args.push(ledgerLabel);
      else this.args.splice(at, 0, ledgerLabel);
    }
    return { form, before, spelled, first, count: 1 };
  }

  #limit(asked: BoundLimit, reserving: boolean): string {
    const bound = this.#counted(asked);
    const { limit, cost } = bound;
    this.uses |= algorithmBit(limit.numbers.algorithm);
    if (limit.penalty) this.uses |= features.penalty;
    const holds = reserving && !limit.global;
    this.#key(asked, bound, holds);
    const counted = bound.parts.length > 0;
    return this.#context.texts.listed(limit, { cost, counted, holds });
  }

  /** The keys of a limit, in the order in which the script expects them. */
  #key(asked: BoundLimit, counted: BoundLimit, holds: boolean): void {
    const key = this.#context.keys.counterOf(this.#prefix, counted);
    this.#limits[this.keys.push(key)] = asked;
    if (asked.limit.penalty) this.keys.push(key + penaltySuffix);
    if (holds) this.keys.push(key + holdsSuffix);
  }

  /** The limit itself, or its overflow counter where that is asked instead. */
  #counted(asked: BoundLimit): BoundLimit {
    if (this.#overflowing.size === 0) return asked;
    const key = this.#context.keys.counterOf(this.#prefix, asked);
    return this.#overflowing.has(key) ? overflowBound(asked) : asked;
  }

  #record({ idempotency, limits, id, elsewhere }: Part): void {
    if (!idempotency) return;
    const { keys, allowances } = this.#context;
    const { scope, key, fingerprint, ttlMs } = idempotency;
    const record = this.#use(features.records, keys.answer(scope, key));
    const allowance = this.#use(features.allowance, recordsAllowanceSuffix);
    const max = allowances?.recordsPerHour ?? never;
    // Two questions with one layout have readings of the same limits.
    const layout = countersIn(limits) + (elsewhere ? `+${countersIn(elsewhere.limits)}` : '');
    this.args.push(
      `${record} ${ttlMs} ${allowance} ${max}`,
      keys.fingerprint(fingerprint),
      id,
      keys.fingerprint(layout),
      elsewhere ? JSON.stringify(elsewhere.readings) : '',
    );
  }

  #reservation({ reserve, limits, id }: Question): void {
    if (!reserve) return;
    const record = this.#use(features.reservation, this.#context.keys.reservation(id));
    const keep = reserve.onExpiry === 'keep' ? 1 : 0;
    const kept = limits.filter(isReserved).map((bound) => this.#kept(bound));
    const blob = JSON.stringify({ ttlMs: reserve.ttlMs, limits: kept });
    const allowance = this.#use(features.allowance, reservationsAllowanceSuffix);
    const max = reservationsMax(this.#context.allowances);
    this.args.push(`${record} ${reserve.ttlMs * 1000} ${keep} ${allowance} ${max} ${id}`, blob);
  }

  /** For a refund by id: the limits of this slot, and what was charged of another's. */
  #charge({ limits, id, elsewhere }: Part): void {
    const { keys, allowances } = this.#context;
    const record = this.#use(features.charge, keys.charge(id));
    const allowance = this.#use(features.allowance, chargesAllowanceSuffix);
    const others = elsewhere?.counted ?? [];
    const kept = [...limits, ...others].filter(isCharged);
    const ttlMs = chargeKeptMs(kept);
    const max = allowances ? allowances.recordsPerHour * dayMs : never;
    const charged = others.map((bound, at) => {
      const isOk = elsewhere?.readings[at]?.verdict === 'ok';
      return isCharged(bound) ? (isOk ? '1' : '0') : '';
    });
    this.args.push(
      `${record} ${ttlMs} ${allowance} ${max} ${charged.join('')}`,
      JSON.stringify(kept.map((bound) => this.#kept(bound))),
    );
  }

  #kept(asked: BoundLimit): KeptLimit {
    const bound = this.#counted(asked);
    const { limit, cost } = bound;
    return {
      key: this.#context.keys.counter(bound),
      global: limit.global,
      text: this.#context.texts.of(limit, { key: 0, cost: 0 }),
      algorithm: limit.numbers.algorithm,
      unit: limit.unit,
      cost,
    };
  }
}

/** Calls of several tenants: what they have in common is spelled once. */
export function encodeAll(calls: readonly SlotCall[], context: EncodeContext): Encoded[] {
  const all = listOf<Encoded>(calls.length);
  let spelled: EncodedCall | null = null;
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at] as SlotCall;
    const repeated: Encoded | null = spelled?.repeated(call) ?? null;
    all[at] = repeated ?? (spelled = new EncodedCall(call, context));
  }
  return all;
}

function epochText(snapshot: DecideCall['snapshot']): string | null {
  return snapshot ? `${snapshot.epoch.tenant}.${snapshot.epoch.shared}` : null;
}

/** The only question, if it is told from others of its form by its keys alone. */
function lonePlain(questions: readonly Part[]): Part | null {
  const [only] = questions;
  return only && questions.length === 1 && isPlain(only) ? only : null;
}

function reservationsMax(allowances: Allowances | null): number {
  return allowances ? (allowances.reservationsPerHour ?? reservationsPerHourDefault) : never;
}

function countersIn(limits: readonly BoundLimit[]): string {
  return joined(limits.map(({ limit }) => limit.counterId));
}

/** The counter that newcomers share. */
export function overflowBound({ limit, cost }: BoundLimit): BoundLimit {
  return { limit: overflowOf(limit), parts: [], cost };
}

function isReserved(bound: BoundLimit): boolean {
  return isCharged(bound) && !bound.limit.global;
}

/** Slots are taken whatever the cost. */
function isCharged(bound: BoundLimit): boolean {
  return bound.cost > 0 && !hasSlots(bound);
}

/** Whether it is told from others of its form by its keys alone. */
function isPlain(question: Part): boolean {
  const { idempotency, reserve, elsewhere, limits } = question;
  if (idempotency || reserve || elsewhere || isChargeKept(question)) return false;
  return !limits.some(hasSlots);
}

/** Whether both, being plain, have one form. */
function asksAlike(a: Part, b: Part): boolean {
  if (a.peek !== b.peek || a.ledgerLabel !== b.ledgerLabel) return false;
  if (a.limits.length !== b.limits.length) return false;
  for (let at = 0; at < a.limits.length; at += 1) {
    const one = a.limits[at];
    const other = b.limits[at];
    if (one?.limit !== other?.limit || one?.cost !== other?.cost) return false;
  }
  return true;
}

/** Of the part that the tenant's slot is asked: it knows what became of the whole. */
function isChargeKept({ refundable, reserve, peek }: Part): boolean {
  return refundable === true && reserve === undefined && !peek;
}
