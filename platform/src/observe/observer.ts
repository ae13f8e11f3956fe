import type { LimitDecision } from 'sluice/core';
import {
  algorithmOf,
  isDegraded,
  outcomeOf,
  wouldBlock,
  type CheckEvent,
  type Outcome,
} from './check-event.ts';
import { CheckLines } from './check-line.ts';
import type { Log } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Which checks get a log line of their own. */
export const checkLogs = ['all', 'refused', 'none'] as const;
export type CheckLog = (typeof checkLogs)[number];

export type ObserverOptions = {
  readonly metrics: Metrics;
  readonly log: Pick<Log, 'write' | 'wantsInfo'>;
  /** Makes subject hashes meaningless to who does not have it; the same on every node. */
  readonly secret: string;
  readonly tracing?: Tracing;
  readonly checkLog?: CheckLog;
};

/**
 * Told of every check, after it was decided. It takes a few microseconds, waits for nothing and
 * never fails: whatever goes wrong here, the caller has its decision.
 */
export class Observer {
  readonly #metrics: Metrics;
  readonly #log: ObserverOptions['log'];
  readonly #lines: CheckLines;
  readonly #tracing: Tracing;
  readonly #checkLog: CheckLog;

  constructor({ metrics, log, secret, tracing = noTracing, checkLog = 'all' }: ObserverOptions) {
    this.#metrics = metrics;
    this.#log = log;
    this.#lines = new CheckLines(secret);
    this.#tracing = tracing;
    this.#checkLog = checkLog;
  }

  check(event: CheckEvent, atMs = Date.now()): void {
    this.#check(event, atMs, null);
  }

  /** The same of several. Callers are found one right after another, so that memory brings them together. */
  checks(events: readonly CheckEvent[], atMs: number): void {
    const callers =
      this.#checkLog === 'all' && this.#log.wantsInfo ? this.#callersOf(events) : null;
    for (let at = 0; at < events.length; at += 1) {
      this.#check(events[at] as CheckEvent, atMs, callers?.[at] ?? null);
    }
  }

  /** Null where that fails: each line then finds its own, or is dropped. */
  #callersOf(events: readonly CheckEvent[]): readonly string[] | null {
    try {
      return events.map(({ tenant, subject }) => this.#lines.callerOf(tenant, subject));
    } catch {
      return null;
    }
  }

  /** Null: who called was not looked for yet. */
  #check(event: CheckEvent, atMs: number, caller: string | null): void {
    try {
      const { decision } = event;
      const outcome = outcomeOf(decision);
      const algorithm = algorithmOf(decision);
      this.#metrics.checked(event.route, outcome, algorithm, event.durationUs);
      if (this.#isLogged(outcome)) {
        const said = { atMs, outcome, algorithm, caller, ids: this.#traceIds() };
        this.#log.write(this.#lines.check(event, said));
      }
      // Most are: there is no more to tell of them.
      if (outcome === 'allowed') return;
      if (isDegraded(decision)) this.#metrics.degraded(decision.basis, decision.degradedReason);
      if (wouldBlock(decision)) this.#wouldBlock(event);
    } catch {
      this.#metrics.eventsDropped();
    }
  }

  /** The same as in the log, for who looks for one subject's lines. */
  subjectHash(tenant: string, subject: string): string {
    return this.#lines.subjectHash(tenant, subject);
  }

  #wouldBlock(event: CheckEvent): void {
    const isLogged = this.#checkLog !== 'none' && this.#log.wantsInfo;
    for (const limit of event.decision.limits) {
      if (limit.allowed || !isObserved(limit)) continue;
      this.#metrics.wouldBlock(limit.mode, event.policy, event.tier);
      if (isLogged) this.#log.write(this.#lines.shadow(event, limit, this.#traceIds()));
    }
  }

  #isLogged(outcome: Outcome): boolean {
    const isWanted =
      this.#checkLog === 'all' || (this.#checkLog === 'refused' && outcome === 'blocked');
    return isWanted && this.#log.wantsInfo;
  }

  #traceIds() {
    return this.#tracing.enabled ? this.#tracing.activeIds() : null;
  }
}

function isObserved(
  limit: LimitDecision,
): limit is LimitDecision & { readonly mode: 'warn' | 'shadow' } {
  return limit.mode === 'warn' || limit.mode === 'shadow';
}
