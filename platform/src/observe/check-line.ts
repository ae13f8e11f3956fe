import type { Decision, LimitDecision } from 'sluice/core';
import type { CheckEvent, Outcome } from './check-event.ts';
import { RecentMap } from './recent-map.ts';
import { redactResource } from './redact.ts';
import { subjectHashUnder, type SubjectHash } from './subject-hash.ts';
import type { TraceIds } from './tracing.ts';

/** What is remembered of each kind; most traffic is about few. */
const recentMax = 10_000;
const rememberedLengthMax = 200;
const textLengthMax = 200;

/**
 * The lines about checks, put together by hand: with one line for each check, making it an object
 * first and having that written would cost more than all else that is observed.
 */
export class CheckLines {
  readonly subjectHash: SubjectHash;
  /** Tenant and subject's hash, resource, event name: as they stand in a line. */
  readonly #callers = new RecentMap<string>(recentMax);
  readonly #resources = new RecentMap<string>(recentMax);
  readonly #events = new RecentMap<string>(recentMax);
  readonly #start = `{"level":"info","pid":${process.pid},"time":`;
  #head: Head = { nowMs: Number.NaN, route: '', outcome: 'allowed', algorithm: null, text: '' };
  #end: End = { durationUs: Number.NaN, requestId: null, text: '' };

  constructor(secret: string) {
    this.subjectHash = subjectHashUnder(secret);
  }

  check(
    event: CheckEvent,
    outcome: Outcome,
    algorithm: string | null,
    ids: TraceIds | null,
  ): string {
    const { decision } = event;
    return (
      `${this.#headOf(event.route, outcome, algorithm)}${this.#about(event)},` +
      `"limit":${number(decision.limit)},"remaining":${number(decision.remaining)},` +
      `"retry_after_ms":${wholeMs(decision.retryAfterMs)}${basisOf(decision)}` +
      this.#endOf(event, ids)
    );
  }

  /** The checks of one call begin alike, and end alike: what the last line had is kept. */
  #headOf(route: string, outcome: Outcome, algorithm: string | null): string {
    const nowMs = Date.now();
    const last = this.#head;
    const same = last.nowMs === nowMs && last.route === route && last.outcome === outcome;
    if (same && last.algorithm === algorithm) return last.text;
    const text =
      `${this.#start}${nowMs},"event":${this.#eventName(route)},` +
      `"outcome":"${outcome}","algorithm":${quoted(algorithm)},`;
    this.#head = { nowMs, route, outcome, algorithm, text };
    return text;
  }

  #endOf(event: CheckEvent, ids: TraceIds | null): string {
    const { durationUs, requestId } = event;
    const last = this.#end;
    if (!ids && last.durationUs === durationUs && last.requestId === requestId) return last.text;
    const text = `,"duration_ms":${number(Math.round(durationUs) / 1000)},${tailOf(event, ids)}`;
    if (!ids) this.#end = { durationUs, requestId, text };
    return text;
  }

  /** A warn or shadow limit would have refused. */
  shadow(event: CheckEvent, limit: LimitDecision, ids: TraceIds | null): string {
    return (
      `${this.#start}${Date.now()},"event":"rate_limit_shadow","mode":"${limit.mode}",` +
      `"limit_name":${quoted(limit.name)},${this.#about(event)},` +
      `"limit":${number(limit.limit)},"used":${number(limit.used)},${tailOf(event, ids)}`
    );
  }

  #about({ tenant, subject, resource, decision }: CheckEvent): string {
    const caller = this.#caller(tenant, subject);
    return `${caller},"resource":${this.#resource(resource)},"decision_id":${quoted(decision.decisionId)}`;
  }

  /** Hashing costs more than looking up. */
  #caller(tenant: string, subject: string): string {
    const text = `${tenant.length}:${tenant}${subject}`;
    const known = this.#callers.get(text);
    if (known !== undefined) return known;
    const hashed = this.subjectHash(tenant, subject);
    const made = `"tenant":${quoted(tenant)},"subject_hash":"${hashed}"`;
    if (text.length <= rememberedLengthMax) this.#callers.set(text, made);
    return made;
  }

  #resource(resource: string): string {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const made = JSON.stringify(redactResource(resource));
    if (resource.length <= rememberedLengthMax) this.#resources.set(resource, made);
    return made;
  }

  #eventName(route: string): string {
    const known = this.#events.get(route);
    if (known !== undefined) return known;
    const made = JSON.stringify(eventNameOf(route));
    if (route.length <= rememberedLengthMax) this.#events.set(route, made);
    return made;
  }
}

type Head = Pick<CheckEvent, 'route'> & {
  readonly nowMs: number;
  readonly outcome: Outcome;
  readonly algorithm: string | null;
  readonly text: string;
};
type End = Pick<CheckEvent, 'durationUs' | 'requestId'> & { readonly text: string };

function basisOf({ basis, degradedReason }: Decision): string {
  if (basis === 'exact' && degradedReason === null) return exactly;
  return `,"basis":"${basis}","degraded_reason":${quoted(degradedReason)}`;
}

const exactly = ',"basis":"exact","degraded_reason":null';

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
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text.slice(0, textLengthMax));
}

/** As the answer says it; and a fraction takes longer to spell than the rest of the line. */
function wholeMs(ms: number | null): string {
  return ms === null ? 'null' : number(Math.ceil(ms));
}

function number(value: number | null): string {
  return value === null || !Number.isFinite(value) ? 'null' : String(value);
}
