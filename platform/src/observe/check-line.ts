import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LimitDecision } from 'sluice/core';
import type { CheckEvent, Outcome } from './check-event.ts';
import { redactResource } from './redact.ts';
import type { TraceIds } from './tracing.ts';

/** What is remembered of each kind; most traffic is about few. */
const recentMax = 10_000;
const rememberedLengthMax = 200;
const textLengthMax = 200;
/** 132 bits: no two subjects share one. */
const hashLength = 22;

/** What of a check's line is the same for all lines about that check. */
type About = { readonly head: string; readonly tail: string };

/**
 * The lines about checks, put together by hand: with one line for each check, making it an object
 * first and having that written would cost more than the rest of what is observed.
 */
export class CheckLines {
  readonly #secret: string;
  readonly #hashes = new LRUCache<string, string>({ max: recentMax });
  readonly #resources = new LRUCache<string, string>({ max: recentMax });
  readonly #events = new LRUCache<string, string>({ max: 200 });
  readonly #start = `{"level":"info","pid":${process.pid},"time":`;

  constructor(secret: string) {
    this.#secret = `${secret.length}:${secret}`;
  }

  check(
    event: CheckEvent,
    outcome: Outcome,
    algorithm: string | null,
    ids: TraceIds | null,
  ): string {
    const { decision } = event;
    const { head, tail } = this.#about(event, ids);
    return (
      `${this.#start}${Date.now()},"event":${this.#eventName(event.route)},"outcome":"${outcome}",` +
      `"algorithm":${quoted(algorithm)},${head},"limit":${number(decision.limit)},` +
      `"remaining":${number(decision.remaining)},` +
      `"retry_after_ms":${number(decision.retryAfterMs)},"basis":"${decision.basis}",` +
      `"degraded_reason":${quoted(decision.degradedReason)},` +
      `"duration_ms":${number(Math.round(event.durationUs) / 1000)},${tail}`
    );
  }

  /** A warn or shadow limit would have refused. */
  shadow(event: CheckEvent, limit: LimitDecision, ids: TraceIds | null): string {
    const { head, tail } = this.#about(event, ids);
    return (
      `${this.#start}${Date.now()},"event":"rate_limit_shadow","mode":"${limit.mode}",` +
      `"limit_name":${quoted(limit.name)},${head},"limit":${number(limit.limit)},` +
      `"used":${number(limit.used)},${tail}`
    );
  }

  /** Tells subjects apart without naming them; the same one has another in another tenant. */
  subjectHash(tenant: string, subject: string): string {
    const text = `${tenant.length}:${tenant}${subject}`;
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const made = hash('sha256', this.#secret + text, 'base64url').slice(0, hashLength);
    if (text.length <= rememberedLengthMax) this.#hashes.set(text, made);
    return made;
  }

  #about(
    { tenant, subject, resource, decision, requestId }: CheckEvent,
    ids: TraceIds | null,
  ): About {
    const trace = ids ? `,"trace_id":"${ids.traceId}","span_id":"${ids.spanId}"` : '';
    return {
      head:
        `"tenant":${quoted(tenant)},"subject_hash":"${this.subjectHash(tenant, subject)}",` +
        `"resource":${this.#resource(resource)},"decision_id":${quoted(decision.decisionId)}`,
      tail: `"request_id":${quoted(requestId)}${trace}}\n`,
    };
  }

  #resource(resource: string): string {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const made = JSON.stringify(redactResource(resource));
    if (resource.length <= rememberedLengthMax) this.#resources.set(resource, made);
    return made;
  }

  #eventName(route: string): string {
    let name = this.#events.get(route);
    if (name === undefined) this.#events.set(route, (name = JSON.stringify(eventNameOf(route))));
    return name;
  }
}

/** `/v1/check` is `api.v1.check`; a door that is not HTTP goes by its own name. */
export function eventNameOf(route: string): string {
  const cut = route.slice(0, textLengthMax);
  return cut.startsWith('/') ? ['api', ...cut.split('/').filter(Boolean)].join('.') : cut;
}

/** Escapes whatever could end the string or the line: a log can't be forged through a field. */
function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text.slice(0, textLengthMax));
}

function number(value: number | null): string {
  return value === null || !Number.isFinite(value) ? 'null' : String(value);
}
