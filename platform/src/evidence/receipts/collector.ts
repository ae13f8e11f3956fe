import { Decision } from 'sluice/core';
import { outcomeOf, type CheckEvent, type CheckSink, type Outcome } from '../../observe/index.ts';
import type { KeptCheck } from './kept-check.ts';
import { KnownChecks } from './known-checks.ts';

export type CollectorOptions = {
  /** The share of plainly allowed checks that get a receipt, 0 to 1. */
  readonly sample: number;
  /** Hears how many decisions get none, for want of room. */
  readonly onDropped: (count: number) => void;
  readonly nowMs?: () => number;
};

/** What may wait at once: of a tenant, and of all together. */
const tenantMax = { count: 500, size: 2_000_000 } as const;
const allMax = { count: 2000, size: 8_000_000 } as const;
/** The last of the room is for tenants that have few waiting: the noisy can't take all of it. */
const reservedCount = 500;
const fewCount = 20;
/**
 * A tenant that floods for long gets so many in a second, after as many as may wait: each costs more
 * than the refusal did, and a flood must not.
 */
const perSecond = 10;
/** What a check takes besides its texts, and each of its limits, about. */
const checkSize = 500;
const limitSize = 300;

/**
 * Remembers the checks that get a receipt, until those are written. Under a flood the first of a
 * kind, subject and second stands for all: the rest are counted on it. What is done here is done for
 * every check: the receipt itself is made when it is written.
 */
export class ReceiptCollector implements CheckSink {
  readonly #options: CollectorOptions;
  readonly #nowMs: () => number;
  readonly #tenants = new Map<string, TenantShare>();
  readonly #all: Share = { count: 0, size: 0 };
  #waiting: KeptCheck[] = [];
  /** Those of the second that runs. */
  #known = new KnownChecks();
  #second = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  check(event: CheckEvent, atMs?: number): void {
    try {
      this.#note(event, atMs);
    } catch {
      this.#options.onDropped(1);
    }
  }

  #note(event: CheckEvent, atMs = this.#nowMs()): void {
    const { decision } = event;
    const outcome = outcomeOf(decision);
    // The first of a replay has its receipt, under the same id.
    if (outcome === 'allowed' ? !this.#isSampled(decision) : decision.replayed) return;
    this.#turnTo(secondOf(atMs));
    if (outcome === 'allowed') {
      this.#keep(event, outcome, atMs);
      return;
    }
    const known = this.#known.find(event, outcome);
    if (known) {
      known.repeats += 1;
      known.lastAtMs = atMs;
      return;
    }
    const kept = this.#keep(event, outcome, atMs);
    if (kept) this.#known.add(kept);
  }

  /** The oldest, once their second is over; `all` also takes those that may yet be repeated. */
  take(max: number, { all }: { readonly all: boolean }): readonly KeptCheck[] {
    const second = secondOf(this.#nowMs());
    if (all) this.#known = new KnownChecks();
    const isDue = ({ atMs }: KeptCheck) => all || secondOf(atMs) !== second;
    let count = 0;
    while (count < max && count < this.#waiting.length) {
      if (!isDue(this.#waiting[count] as KeptCheck)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** What was taken needs no more room. */
  done(taken: readonly KeptCheck[]): void {
    for (const one of taken) this.#release(one);
  }

  /** What was taken could not be written yet. */
  giveBack(taken: readonly KeptCheck[]): void {
    this.#waiting = [...taken, ...this.#waiting];
  }

  /** Nothing of this subject waits any more. Says how many receipts there would have been. */
  forget(tenant: string, subject: string): number {
    const isMeant = ({ event }: KeptCheck) => event.tenant === tenant && event.subject === subject;
    const meant = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((one) => !isMeant(one));
    this.#known.forget(tenant, subject);
    this.done(meant);
    return meant.length;
  }

  #turnTo(second: number): void {
    if (second === this.#second) return;
    this.#second = second;
    this.#known = new KnownChecks();
    for (const [tenant, share] of this.#tenants) {
      fill(share, second * 1000);
      if (share.count === 0 && share.budget === tenantMax.count) this.#tenants.delete(tenant);
    }
  }

  #isSampled(decision: Decision): boolean {
    const { sample } = this.#options;
    if (sample === 0 || decision.replayed) return false;
    return sample === 1 || fractionOf(decision.decisionId) < sample;
  }

  #keep(event: CheckEvent, outcome: Outcome, atMs: number): KeptCheck | null {
    const share = this.#shareOf(event.tenant, atMs);
    if (!this.#hasRoom(share, outcome, event)) {
      this.#options.onDropped(1);
      return null;
    }
    share.budget -= 1;
    const size = sizeOf(event);
    const kept = { event, outcome, atMs, size, repeats: 0, lastAtMs: atMs };
    for (const one of [share, this.#all]) {
      one.count += 1;
      one.size += size;
    }
    this.#waiting.push(kept);
    return kept;
  }

  /** Samples take half of it at the most: they are not what somebody will ask for. */
  #hasRoom({ count, size, budget }: TenantShare, outcome: Outcome, event: CheckEvent): boolean {
    const part = outcome === 'allowed' ? 0.5 : 1;
    const reserved = count < fewCount ? 0 : reservedCount;
    if (budget < Math.max(1, tenantMax.count * (1 - part))) return false;
    if (count >= tenantMax.count * part) return false;
    if (this.#all.count >= (allMax.count - reserved) * part) return false;
    const more = sizeOf(event);
    return size + more <= tenantMax.size * part && this.#all.size + more <= allMax.size * part;
  }

  #shareOf(tenant: string, atMs: number): TenantShare {
    let share = this.#tenants.get(tenant);
    if (!share) {
      share = { count: 0, size: 0, budget: tenantMax.count, filledAtMs: atMs };
      this.#tenants.set(tenant, share);
    }
    fill(share, atMs);
    return share;
  }

  #release({ event, size }: KeptCheck): void {
    const share = this.#tenants.get(event.tenant);
    for (const one of share ? [share, this.#all] : [this.#all]) {
      one.count -= 1;
      one.size -= size;
    }
  }
}

type Share = { count: number; size: number };
type TenantShare = Share & { budget: number; filledAtMs: number };

/** By what has flowed in since the last time; a clock that was set back gives nothing. */
function fill(share: TenantShare, nowMs: number): void {
  const passedMs = Math.max(0, nowMs - share.filledAtMs);
  share.budget = Math.min(tenantMax.count, share.budget + (passedMs * perSecond) / 1000);
  share.filledAtMs = nowMs;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

function sizeOf({ subject, resource, decision }: CheckEvent): number {
  const { check, question } = Decision.factsOf(decision);
  let size = checkSize + subject.length + resource.length + question.limits.length * limitSize;
  const { attributes } = check;
  for (const name in attributes) size += name.length + (attributes[name] as string).length;
  return size;
}

const tellingLetters = 8;

/** From 0 to 1, evenly, and the same for the same id on every node. */
function fractionOf(id: string): number {
  let hash = 0x811c9dc5;
  // Ids differ in their last letters: no need to look at others, and those must tell in every bit.
  for (let at = Math.max(0, id.length - tellingLetters); at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
