import {
  inAscii,
  inOnePiece,
  RecentMap,
  RecentPairs,
  type Decision,
  type LimitDecision,
} from 'sluice/core';
import type { CheckEvent, Outcome } from './check-event.ts';
import { redactResource } from './redact.ts';
import { subjectHashUnder, type SubjectHash } from './subject-hash.ts';
import type { TraceIds } from './tracing.ts';

/** What is remembered of each kind; most traffic is about few, but callers may be many: 10 MB of them. */
const recentMax = 10_000;
const recentCallersMax = 50_000;
const rememberedLengthMax = 200;
const textLengthMax = 200;

/**
 * The lines about checks, put together by hand: with one line for each check, making it an object
 * first and having that written would cost more than all else that is observed.
 */
export class CheckLines {
  readonly subjectHash: SubjectHash;
  /** Tenant and subject's hash, resource up to the decision's id, event name: as they stand in a line. */
  readonly #callers = new RecentPairs<string>(recentCallersMax);
  readonly #resources = new RecentMap<string>(recentMax);
  readonly #events = new RecentMap<string>(recentMax);
  readonly #start = `{"level":"info","pid":${process.pid},"time":`;
  #head: Head = { atMs: Number.NaN, route: '', outcome: 'allowed', algorithm: null, text: '' };
  #size: { readonly limit: number | null; readonly text: string } = { limit: Number.NaN, text: '' };
  #end: End = { durationUs: Number.NaN, requestId: null, text: '', isRepeated: false };

  constructor(secret: string) {
    this.subjectHash = subjectHashUnder(secret);
  }

  check(event: CheckEvent, { atMs, outcome, algorithm, caller, ids }: Said): string {
    const { decision, tenant, subject } = event;
    const about = this.#about(event, caller ?? this.callerOf(tenant, subject));
    return (
      `${this.#headOf(event.route, atMs, outcome, algorithm)}${about}` +
      `${this.#sizeOf(decision.limit)}${number(decision.remaining)}${waitOf(decision, outcome)}` +
      this.#endOf(event, ids)
    );
  }

  /** The checks of one call begin alike, and end alike: what the last line had is kept. */
  #headOf(route: string, atMs: number, outcome: Outcome, algorithm: string | null): string {
    const last = this.#head;
    const same = last.atMs === atMs && last.route === route && last.outcome === outcome;
    if (same && last.algorithm === algorithm) return last.text;
    const text = inOnePiece(
      `${this.#start}${atMs},"event":${this.#eventName(route)},` +
        `"outcome":"${outcome}","algorithm":${quoted(algorithm)},`,
    );
    this.#head = { atMs, route, outcome, algorithm, text };
    return text;
  }

  #endOf(event: CheckEvent, ids: TraceIds | null): string {
    const { durationUs, requestId } = event;
    const last = this.#end;
    if (!ids && last.durationUs === durationUs && last.requestId === requestId) {
      if (last.isRepeated) return last.text;
      this.#end = { ...last, text: inOnePiece(last.text), isRepeated: true };
      return this.#end.text;
    }
    const text = `,"duration_ms":${number(Math.round(durationUs) / 1000)},${tailOf(event, ids)}`;
    if (!ids) this.#end = { durationUs, requestId, text, isRepeated: false };
    return text;
  }

  /** A warn or shadow limit would have refused. */
  shadow(event: CheckEvent, limit: LimitDecision, ids: TraceIds | null): string {
    const about = this.#about(event, this.callerOf(event.tenant, event.subject));
    return (
      `${this.#start}${Date.now()},"event":"rate_limit_shadow","mode":"${limit.mode}",` +
      `"limit_name":${quoted(limit.name)},${about}"` +
      `,"limit":${number(limit.limit)},"used":${number(limit.used)},${tailOf(event, ids)}`
    );
  }

  /** Up to the end of the decision's id: what comes next closes its quotes. */
  #about({ resource, decision }: CheckEvent, caller: string): string {
    const { decisionId } = decision;
    // What we made needs no look; what a store kept might be anybody's.
    const id = decision.replayed ? quoted(decisionId).slice(1, -1) : decisionId;
    return caller + this.#resource(resource) + id;
  }

  /** Most lines tell of the same limit as the last. */
  #sizeOf(limit: number | null): string {
    if (this.#size.limit !== limit) {
      this.#size = { limit, text: inOnePiece(`","limit":${number(limit)},"remaining":`) };
    }
    return this.#size.text;
  }

  /** As a line names who called. Hashing costs more than looking up. */
  callerOf(tenant: string, subject: string): string {
    // By the subject, which mostly is of one tenant: then that is all there is to look for.
    const known = this.#callers.get(subject, tenant);
    if (known !== undefined) return known;
    const hashed = this.subjectHash(tenant, subject);
    const made = inOnePiece(`"tenant":${quoted(tenant)},"subject_hash":"${hashed}"`);
    if (subject.length <= rememberedLengthMax) this.#callers.offer(subject, tenant, made);
    return made;
  }

  #resource(resource: string): string {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const text = `,"resource":${inAscii(JSON.stringify(redactResource(resource)))},"decision_id":"`;
    const made = inOnePiece(text);
    if (resource.length <= rememberedLengthMax) this.#resources.set(resource, made);
    return made;
  }

  #eventName(route: string): string {
    const known = this.#events.get(route);
    if (known !== undefined) return known;
    const made = inAscii(JSON.stringify(eventNameOf(route)));
    if (route.length <= rememberedLengthMax) this.#events.set(route, made);
    return made;
  }
}

/** What a line says besides its check; without a caller it finds that by itself. */
export type Said = {
  readonly atMs: number;
  readonly outcome: Outcome;
  readonly algorithm: string | null;
  readonly caller: string | null;
  readonly ids: TraceIds | null;
};

type Head = Pick<CheckEvent, 'route'> & {
  readonly atMs: number;
  readonly outcome: Outcome;
  readonly algorithm: string | null;
  readonly text: string;
};
type End = Pick<CheckEvent, 'durationUs' | 'requestId'> & {
  readonly text: string;
  /** More than one line ends like this: then it is worth being one piece. */
  readonly isRepeated: boolean;
};

/** How long to wait, and how we know. */
function waitOf(decision: Decision, outcome: Outcome): string {
  if (outcome === 'allowed') return plainly;
  return `,"retry_after_ms":${wholeMs(decision.retryAfterMs)}${basisOf(decision)}`;
}

function basisOf({ basis, degradedReason }: Decision): string {
  if (basis === 'exact' && degradedReason === null) return exactly;
  return `,"basis":"${basis}","degraded_reason":${quoted(degradedReason)}`;
}

const exactly = ',"basis":"exact","degraded_reason":null';
const plainly = `,"retry_after_ms":0${exactly}`;

function tailOf({ requestId }: CheckEvent, ids: TraceIds | null): string {
  const trace = ids ? `,"trace_id":"${ids.traceId}","span_id":"${ids.spanId}"` : '';
  return `"request_id":${quoted(requestId)}${trace}}\n`;
}

/** `/v1/check` is `api.v1.check`; a door that is not HTTP goes by its own name. */
function eventNameOf(route: string): string {
  const cut = route.slice(0, textLengthMax);
  return cut.startsWith('/') ? ['api', ...cut.split('/').filter(Boolean)].join('.') : cut;
}

const needsNoEscape = /^[\w.:/-]{0,100}$/;

/** Escapes whatever could end the string or the line: a log can't be forged through a field. */
function quoted(text: string | null): string {
  if (text === null) return 'null';
  return needsNoEscape.test(text)
    ? `"${text}"`
    : inAscii(JSON.stringify(text.slice(0, textLengthMax)));
}

/** As the answer says it; and a fraction takes longer to spell than the rest of the line. */
function wholeMs(ms: number | null): string {
  return ms === null ? 'null' : number(Math.ceil(ms));
}

function number(value: number | null): string {
  return value === null || !Number.isFinite(value) ? 'null' : String(value);
}
