import { lotOf } from './lot.ts';
import { lowestRank, rankOf, tiers } from './tiers.ts';

export type ShedderOptions = {
  /** A delay of the event loop that stays above this is overload. */
  readonly targetMs: number;
  readonly onBegin?: (start: ShedStart) => void;
  readonly onEnd?: (report: ShedReport) => void;
  readonly nowMs?: () => number;
  /** Checks that this process decides at the same time, at the most. */
  readonly inFlightMax?: number;
  /** Refusals that are held back at the same time, at the most. */
  readonly heldMax?: number;
};

export type ShedStart = { readonly delayMs: number; readonly inFlight: number };

export type ShedReport = {
  readonly durationMs: number;
  /** How many checks of each tier were refused; those of unknown tiers are counted as the lowest. */
  readonly shed: Readonly<Record<string, number>>;
};

/** A step is for this long. A loop that is very late is heard of less often, and then makes several. */
const stepMs = 100;
const stepsMax = 5;
/** At so many times the target a step down is the greatest. */
const criticalTimes = 5;
/** Below this part of the target it is calm. In between nothing changes. */
const releasePart = 2 / 3;
const leastStep = 0.1;
const greatestStep = 0.3;
const stepUp = 0.01;
/** Less than this of a tier is none of it. */
const servedMin = 0.05;
/** Of the most important callers that there are, so many go on being served. */
const servedAlways = 0.1;
const calmBeforeUpMs = 1000;
const firstHoldMs = 10;
/** As long as a refused caller is told to wait. */
const holdMaxMs = 1000;
/** What a step does is seen when those who called before have had their turn. */
const feltAfterMs = 1000;
const holdGrowth = 1.5;
const holdDecay = 0.99;
/** A tier that did not call for so long is not there. */
const presentForMs = 2000;
/** Who finds this part of the room taken, by rank, has to leave the rest to its betters. */
const roomOfRank = [1, 0.85, 0.7, 0.5] as const;

/**
 * Whose checks are refused unasked. While the event loop is late all the time, less and less of the
 * lowest tier is served, and its refusals are held back longer and longer: to refuse costs half of
 * what it costs to decide, and a caller that waits sends nothing. Only when none of it is served, that
 * does not help, and most of the work is not to refuse it, is it the next tier's turn. Down in a
 * second or two, up in ten.
 */
export class Shedder {
  readonly #options: Required<ShedderOptions>;
  readonly #calledAtMs = tiers.map(() => Number.NEGATIVE_INFINITY);
  readonly #shed = tiers.map(() => 0);
  #startedMs: number | null = null;
  /** The tier of which a part is served: those below it are refused, those above are not touched. */
  #frontier = lowestRank;
  #served = 1;
  #holdMs = 0;
  /** When it last became longer, or less was served. */
  #changedMs = 0;
  #held = 0;
  #inFlight = 0;
  #lastMs: number;
  #calmMs = 0;
  /** Since the delay was last told. */
  #admitted = 0;
  #refused = 0;

  constructor(options: ShedderOptions) {
    this.#options = {
      onBegin: () => {},
      onEnd: () => {},
      // Close to the time of day, by which callers' lots change, and never set back.
      nowMs: () => performance.timeOrigin + performance.now(),
      inFlightMax: 4096,
      heldMax: 10_000,
      ...options,
    };
    this.#lastMs = this.#options.nowMs();
  }

  /** Nobody is refused, whoever asks: no need to find out who does. */
  get isOpen(): boolean {
    return this.#startedMs === null && this.#inFlight < this.#roomOf(lowestRank);
  }

  get isShedding(): boolean {
    return this.#startedMs !== null;
  }

  /** Whether this check may be decided. */
  admits(tier: string, tenantId: string, subject: string): boolean {
    const rank = rankOf(tier);
    this.#calledAtMs[rank] = this.#lastMs;
    if (this.#isServed(rank, tenantId, subject)) {
      if (this.#inFlight < this.#roomOf(rank)) {
        this.#admitted += 1;
        return true;
      }
      this.#begin(0);
      this.#calmMs = 0;
    }
    this.#refused += 1;
    (this.#shed[rank] as number) += 1;
    return false;
  }

  /** Somebody of this tier was answered while it was open to all. */
  called(tier: string): void {
    this.#calledAtMs[rankOf(tier)] = this.#lastMs;
  }

  entered(checks: number): void {
    this.#inFlight += checks;
  }

  left(checks: number): void {
    this.#inFlight -= checks;
  }

  /** How long to hold a refusal back; where it is not 0, `letGo` is to follow. */
  hold(): number {
    if (this.#holdMs < 1 || this.#held >= this.#options.heldMax) return 0;
    this.#held += 1;
    return this.#holdMs;
  }

  letGo(): void {
    this.#held -= 1;
  }

  /** The event loop is late by this much, all the time. */
  delayed(standingMs: number): void {
    const { targetMs } = this.#options;
    const nowMs = this.#options.nowMs();
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    // One that is late with something else, such as to start, would be so without the next caller too.
    const isOurs = this.#inFlight > 0 || tiers.some((_, rank) => this.#isPresent(rank));
    const lateMs = isOurs ? standingMs : 0;
    if (lateMs > targetMs) {
      this.#begin(lateMs);
      this.#calmMs = 0;
      this.#down(lateMs, Math.min(stepsMax, Math.max(1, passedMs / stepMs)));
    } else if (this.isShedding && lateMs < targetMs * releasePart) {
      this.#calmMs += passedMs;
      if (this.#calmMs >= calmBeforeUpMs) this.#up();
    }
    this.#admitted = 0;
    this.#refused = 0;
  }

  #isServed(rank: number, tenantId: string, subject: string): boolean {
    if (rank !== this.#frontier || this.#served >= 1) return rank <= this.#frontier;
    return lotOf(tenantId, subject, this.#options.nowMs()) < this.#served;
  }

  #roomOf(rank: number): number {
    return this.#options.inFlightMax * (roomOfRank[rank] as number);
  }

  #down(standingMs: number, steps: number): void {
    const above = this.#nextAbove();
    // To refuse those who do not call would help nobody.
    if (!this.#isPresent(this.#frontier) && above !== null) return this.#moveTo(above);
    const floor = above === null ? servedAlways : 0;
    // Where most of the work is to refuse those below, those above are not what makes it late.
    const isTheirs = this.#admitted >= this.#refused;
    const isAnybodys = this.#admitted > 0;
    if (this.#served > floor && (isTheirs || this.#isLowest)) {
      const served = this.#served * (1 - this.#stepAt(standingMs)) ** steps;
      this.#served = Math.max(floor, served < servedMin ? 0 : served);
      this.#changedMs = this.#lastMs;
    }
    if (this.#holdMs < holdMaxMs) {
      // Less than the delay itself would hardly be noticed.
      const leastMs = Math.max(firstHoldMs, standingMs / 2);
      this.#holdMs = Math.min(holdMaxMs, Math.max(leastMs, this.#holdMs * holdGrowth ** steps));
      this.#changedMs = this.#lastMs;
    } else if (above !== null && isTheirs && isAnybodys && this.#served <= 0 && this.#isFelt) {
      this.#moveTo(above);
    }
  }

  #stepAt(standingMs: number): number {
    const { targetMs } = this.#options;
    const pressure = (standingMs - targetMs) / (targetMs * (criticalTimes - 1));
    return leastStep + (greatestStep - leastStep) * Math.min(1, pressure);
  }

  #moveTo(rank: number): void {
    this.#frontier = rank;
    this.#served = 1;
  }

  #up(): void {
    this.#holdMs *= holdDecay;
    this.#served = this.#isPresent(this.#frontier) ? Math.min(1, this.#served + stepUp) : 1;
    while (this.#served >= 1) {
      if (this.#frontier === lowestRank) return this.#end();
      this.#frontier += 1;
      // Who does not call needs not be let in bit by bit.
      this.#served = this.#isPresent(this.#frontier) ? 0 : 1;
    }
  }

  get #isFelt(): boolean {
    return this.#lastMs - this.#changedMs >= feltAfterMs;
  }

  get #isLowest(): boolean {
    return tiers.every((_, rank) => rank <= this.#frontier || !this.#isPresent(rank));
  }

  #nextAbove(): number | null {
    for (let rank = this.#frontier - 1; rank >= 0; rank -= 1)
      if (this.#isPresent(rank)) return rank;
    return null;
  }

  #isPresent(rank: number): boolean {
    return this.#lastMs - (this.#calledAtMs[rank] as number) <= presentForMs;
  }

  #begin(delayMs: number): void {
    if (this.#startedMs !== null) return;
    this.#startedMs = this.#options.nowMs();
    this.#options.onBegin({ delayMs, inFlight: this.#inFlight });
  }

  #end(): void {
    const durationMs = this.#options.nowMs() - (this.#startedMs as number);
    const shed = Object.fromEntries(tiers.map((tier, rank) => [tier, this.#shed[rank] as number]));
    this.#startedMs = null;
    this.#holdMs = 0;
    this.#calmMs = 0;
    this.#shed.fill(0);
    this.#options.onEnd({ durationMs, shed });
  }
}
