import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Deadline } from 'sluice';
import {
  Decision,
  type DecisionFacts,
  type Engine,
  type Question,
  type TenantRef,
} from 'sluice/core';
import { kindsOf, marksOf, Outbox, type CallMark } from './outbox.ts';

export type RecorderOptions = {
  readonly engine: Pick<Engine, 'record'>;
  /** Hears of calls that are not counted because there is no room for more. */
  readonly onLost?: (calls: number) => void;
  /** Kinds of calls that may wait to be written, of all tenants together. */
  readonly linesMax?: number;
};

/** A key, and in which round it was noted. */
export type UsedKey = { readonly id: string; usedIn?: number };

const minuteUs = 60_000_000;
const linesMaxDefault = 100_000;
/** From so many on they are written without waiting for the next second. */
const linesEarly = 10_000;
/** A store that says nothing for so long is asked again later. */
const waitMs = 1000;
const outboxesAtOnce = 500;
const lastTries = 5;
const lastPauseMs = 200;

/**
 * What happened, for the ledger. What is charged, the store counts as it charges. Refusals, what
 * limits in warn and shadow would have refused, and calls let through without the store are counted
 * here and written a second later, all of a kind at once: a flood of them must not cost the store a
 * write each. What could not be written is sent again under the same number, and counts once.
 */
export class Recorder {
  readonly #engine: RecorderOptions['engine'];
  readonly #onLost: (calls: number) => void;
  readonly #linesMax: number;
  readonly #deadline = new Deadline(waitMs);
  readonly #writer = randomUUID();
  readonly #outboxes = new Map<string, Outbox>();
  #number = 0;
  #lines = 0;
  #flushing: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | null = null;
  #active: TenantRef[] = [];
  #usedKeys: string[] = [];
  /** Who is noted bears the round's mark, so that nobody is looked up: most have called before. */
  #activeRound = {};
  #usedRound = 1;

  constructor({ engine, onLost = () => {}, linesMax = linesMaxDefault }: RecorderOptions) {
    this.#engine = engine;
    this.#onLost = onLost;
    this.#linesMax = linesMax;
  }

  note(tenant: TenantRef, { peek, ledgerLabel }: Question, decision: Decision): void {
    if (peek || ledgerLabel === undefined) return;
    const facts = Decision.factsOf(decision);
    // Counted when it was first answered.
    if (facts.answer.replayOf !== null) return;
    this.#noteActive(tenant);
    const call = callMarkOf(facts);
    if (call !== null) this.#count(tenant, ledgerLabel, call, facts);
  }

  /** Nobody asked a limit, and yet it was refused. */
  shutOut(tenant: TenantRef, { ledgerLabel }: Question, decision: Decision): void {
    if (ledgerLabel === undefined) return;
    this.#noteActive(tenant);
    this.#count(tenant, ledgerLabel, 'blocked', Decision.factsOf(decision));
  }

  keyUsed(key: UsedKey): void {
    if (key.usedIn === this.#usedRound) return;
    key.usedIn = this.#usedRound;
    this.#usedKeys.push(key.id);
  }

  takeUsedKeys(): string[] {
    const used = new Set(this.#usedKeys);
    this.#usedKeys = [];
    this.#usedRound += 1;
    return [...used];
  }

  /** The tenants that something was counted for since the last time: their ledgers can be moved. */
  takeActive(): TenantRef[] {
    // One that was read anew meanwhile is another object.
    const active = new Map(this.#active.map((tenant) => [tenant.id, tenant]));
    this.#active = [];
    this.#activeRound = {};
    return [...active.values()];
  }

  #noteActive(tenant: TenantRef): void {
    const { notes } = tenant;
    if (notes?.activeIn === this.#activeRound) return;
    if (notes) notes.activeIn = this.#activeRound;
    this.#active.push(tenant);
  }

  /** There is still something to move. */
  keepActive(tenant: TenantRef): void {
    this.#noteActive(tenant);
  }

  /** Writes what was counted so far. False when some of it waits for a store that does not answer. */
  flush(): Promise<boolean> {
    // One after another, and what waits for its turn is one for all who ask.
    this.#waiting ??= this.#flushing.then(() => {
      this.#waiting = null;
      return this.#writeAll();
    });
    this.#flushing = this.#waiting;
    return this.#waiting;
  }

  /** Writes everything, or says how much of it is lost: afterwards nobody is there to try again. */
  async close(): Promise<void> {
    for (let tries = 1; tries <= lastTries; tries += 1) {
      if (await this.flush()) return;
      await pause(lastPauseMs);
    }
    let calls = 0;
    for (const outbox of this.#outboxes.values()) calls += outbox.calls;
    this.#outboxes.clear();
    this.#onLost(calls);
  }

  #count(tenant: TenantRef, label: string, call: CallMark, facts: DecisionFacts): void {
    const outbox = this.#outboxOf(tenant);
    const minute = minuteOf(facts);
    const marks = marksOf(call, facts);
    if (outbox.count(label, minute, marks)) return;
    if (this.#lines >= this.#linesMax) return this.#onLost(1);
    this.#lines += 1;
    outbox.start(label, { minute, marks, kinds: kindsOf(call, label, facts) });
    if (this.#lines >= linesEarly) void this.flush();
  }

  #outboxOf(tenant: TenantRef): Outbox {
    let outbox = this.#outboxes.get(tenant.id);
    if (!outbox) this.#outboxes.set(tenant.id, (outbox = new Outbox(tenant)));
    outbox.tenant = tenant;
    return outbox;
  }

  async #writeAll(): Promise<boolean> {
    const outboxes = [...this.#outboxes];
    let isWritten = true;
    for (let from = 0; from < outboxes.length; from += outboxesAtOnce) {
      const some = outboxes.slice(from, from + outboxesAtOnce);
      const written = await Promise.all(some.map(([id, outbox]) => this.#write(id, outbox)));
      isWritten &&= !written.includes(false);
    }
    return isWritten;
  }

  async #write(id: string, outbox: Outbox): Promise<boolean> {
    for (;;) {
      const sending = outbox.next(() => ({ writer: this.#writer, number: (this.#number += 1) }));
      if (!sending) break;
      try {
        await this.#deadline.run(this.#engine.record(sending.tenant, sending.record));
      } catch {
        return false;
      }
      this.#lines -= outbox.sent();
    }
    this.#outboxes.delete(id);
    return true;
  }
}

/** Null where the store has counted all that there is to count. */
function callMarkOf({ answer, basis, question }: DecisionFacts): CallMark | null {
  if (!answer.allowed) return 'blocked';
  if (basis === 'fail_open' || (basis === 'local' && answer.degraded === null)) return 'degraded';
  for (let at = 0; at < answer.readings.length; at += 1) {
    if (answer.readings[at]?.verdict !== 'ok' && question.limits[at]) return 'admitted';
  }
  return null;
}

/** By the store's clock, as what the store counts; by ours where it did not answer. */
function minuteOf({ answer: { nowUs } }: DecisionFacts): number {
  return Math.floor((nowUs > 0 ? nowUs : Date.now() * 1000) / minuteUs);
}
