import type { BoundLimit, Question } from '../../core/engine.ts';
import { joined, overflowOf } from '../../core/limit.ts';
import {
  chargesAllowanceSuffix,
  countersAllowanceSuffix,
  epochSuffix,
  holdsSuffix,
  ledgerSuffix,
  penaltySuffix,
  recordsAllowanceSuffix,
  reservationsAllowanceSuffix,
} from './keys.ts';
import { chargeKeptMs } from '../../core/refundable.ts';
import { hasSlots } from './decode.ts';
import type { KeptLimit } from './kept-limit.ts';
import { algorithmBit, algorithmFiles, features } from './scripts.ts';
import {
  asksAlike,
  epochText,
  isChargeKept,
  isPlain,
  type Allowances,
  type Encoded,
  type EncodeContext,
  type Part,
  type SlotCall,
} from './slot-call.ts';

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
    if (context.packs) this.uses = features.packed;
    this.epoch = snapshot ? epochText(snapshot) : null;
    if (snapshot) this.#use(features.epoch, epochSuffix);
    const asked = this.#ask(snapshot, questions);
    if (!global && sweptUntilUs === 0 && this.#isOneRun(questions.length)) {
      this.uses |= features.run;
    }
    this.args[0] = `[${allowances?.countersPerHour ?? -1},${sweptUntilUs}${asked}]`;
    if (allowances) {
      this.uses |= features.allowance;
      this.keys.push(
        global ? context.keys.globalAllowance(tenant) : this.#prefix + countersAllowanceSuffix,
      );
    }
  }

  /** Spells the snapshot's numbers and all questions. */
  #ask(snapshot: SlotCall['snapshot'], questions: readonly Part[]): string {
    let asked = '';
    if (snapshot) {
      const { validUntilUs = never, confirmed } = snapshot;
      asked = `,${validUntilUs},${confirmed ? 1 : 0}`;
    }
    for (const question of questions) {
      if (this.#joins(question)) continue;
      if (this.#run) asked += spelledRun(this.#run);
      this.#run = this.#begin(question);
    }
    return this.#run ? asked + spelledRun(this.#run) : asked;
  }

  /** Whether all ask one thing of one limit, which can be answered without looking at anything else. */
  #isOneRun(questions: number): boolean {
    const run = this.#run;
    if (questions < 2 || run?.count !== questions || !run.first) return false;
    const { limits, peek } = run.first;
    const [only] = limits;
    return limits.length === 1 && only !== undefined && !peek && goesBriefly(only);
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

/** The script need not look whether it is a peek, can never fit, or is punished. */
function goesBriefly({ limit, cost }: BoundLimit): boolean {
  if (cost === 0 || cost > limit.size || limit.penalty) return false;
  return algorithmFiles[limit.numbers.algorithm].brief !== undefined;
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
