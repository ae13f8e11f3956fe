import { Decision, type BlockedBy, type ShownLimit } from '../core/decision.ts';
import { levelOf } from '../core/level.ts';
import type { Limit } from '../core/limit.ts';
import { exceededStart, inWords } from '../core/message.ts';
import { wholeMs } from './decision-to-wire.ts';

/**
 * The text that `JSON.stringify(decisionToWire(decision))` makes, in a fraction of the time: every
 * check of the service ends here. Nothing is built that is not written, and it is put together from
 * few pieces, for each costs again when the text is sent: what always reads the same is one piece.
 */
export function decisionToJson(decision: Decision): string {
  const { check } = Decision.factsOf(decision);
  const views = Decision.viewsOf(decision);
  return (
    `{"allowed":${decision.allowed},"limit":${decision.limit},"remaining":${decision.remaining}` +
    `,"reset_at":${decision.resetAt},"retry_after_ms":${wholeMs(decision.retryAfterMs)}` +
    `,"message":${message(decision)},"decision_id":${quote(decision.decisionId)}` +
    `${basis(decision)},"mode":${text(decision.mode)},"delay_ms":${decision.delayMs}` +
    `,"replayed":${decision.replayed},"cost":${check.cost},"costs":${costs(check.costs)}` +
    `${consequences(decision, wouldBlock(views))},"limits":[${limits(views)}]}`
  );
}

/** Of a refusal all but the wait is the same each time, unless it names the caller. */
function message(decision: Decision): string {
  if (decision.allowed) return '"Allowed."';
  const shown = Decision.shownOf(decision);
  const refusal = shown?.reading.verdict === 'exceeded' && spellingOf(shown.bound.limit).refusal;
  if (!refusal) return quote(decision.message);
  return `${refusal}${inWords(decision.retryAfterMs ?? 0)}."`;
}

function basis(decision: Decision): string {
  if (decision.basis === 'exact' && decision.degradedReason === null) return exactly;
  return `,"basis":"${decision.basis}","degraded_reason":${text(decision.degradedReason)}`;
}

const exactly = ',"basis":"exact","degraded_reason":null';

/** Besides yes: who said no, who would have, and what is held for the caller. */
function consequences(decision: Decision, blocking: string): string {
  const { allowed, ticket, adaptive } = decision;
  const held = decision.reservation;
  if (blocking === '' && ticket === null && !held) {
    return allowed ? noConsequences : `,"blocked_by":${blocked(decision)}${nothingElse}`;
  }
  return (
    `,"blocked_by":${allowed ? 'null' : blocked(decision)},"would_block":[${blocking}]` +
    `,"adaptive":{"factor":${adaptive.factor},"reason":${text(adaptive.reason)}}` +
    `,"ticket":${text(ticket)},"reservation":${reservation(held)}`
  );
}

const nothingElse =
  ',"would_block":[],"adaptive":{"factor":1,"reason":null},"ticket":null,"reservation":null';
const noConsequences = `,"blocked_by":null${nothingElse}`;

/** Most texts need no escape, which is found out faster than it is done. */
function quote(value: string): string {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    const plain = code >= 0x20 && code < 0xd800 && code !== 0x22 && code !== 0x5c;
    if (!plain) return JSON.stringify(value);
  }
  return `"${value}"`;
}

function text(value: string | null): string {
  return value === null ? 'null' : quote(value);
}

function costs(byUnit: Readonly<Record<string, number>>): string {
  let items = '';
  for (const unit in byUnit) items = joined(items, `${quote(unit)}:${byUnit[unit]}`);
  return `{${items}}`;
}

function blocked(decision: Decision): string {
  const { blockedBy: by } = decision;
  if (!by) return 'null';
  const limit = Decision.shownOf(decision)?.bound.limit;
  const start = limit ? spellingOf(limit).blocker : blocker(by);
  return `${start}${text(by.entity)},"reason":"${by.reason}"}`;
}

function blocker({ limit, per, level }: Pick<BlockedBy, 'limit' | 'per' | 'level'>): string {
  return `{"limit":${text(limit)},"per":${list(per)},"level":"${level}","entity":`;
}

function wouldBlock(views: readonly ShownLimit[]): string {
  let names = '';
  for (const { bound, reading } of views) {
    if (bound.limit.enforced || reading.verdict === 'ok') continue;
    names = joined(names, quote(bound.limit.name));
  }
  return names;
}

function list(values: readonly string[]): string {
  let items = '';
  for (const value of values) items = joined(items, quote(value));
  return `[${items}]`;
}

function joined(items: string, item: string): string {
  return items === '' ? item : `${items},${item}`;
}

function reservation(held: Decision['reservation']): string {
  return held ? `{"id":${quote(held.id)},"expires_at":${held.expiresAt}}` : 'null';
}

function limits(views: readonly ShownLimit[]): string {
  let items = '';
  for (const view of views) items = joined(items, limit(view));
  return items;
}

function limit({ bound, reading, view }: ShownLimit): string {
  const { start, size, override, end } = spellingOf(bound.limit);
  const retryAfterMs = view.retryAfterUs === null ? null : Math.ceil(view.retryAfterUs / 1000);
  return (
    `${start}${bound.cost}${size}${view.used},"remaining":${view.remaining}${override}` +
    `,"reset_at":${Math.ceil(view.resetAtUs / 1_000_000)},"retry_after_ms":${retryAfterMs}` +
    (reading.verdict === 'ok' ? ',"allowed":true' : ',"allowed":false') +
    end
  );
}

/** What is the same of a limit in every decision, around what is not. */
type Spelling = {
  readonly start: string;
  readonly size: string;
  readonly override: string;
  readonly end: string;
  /** Where it refuses: who does, up to whom; and in words, up to the wait. */
  readonly blocker: string;
  readonly refusal: string | null;
};

const spellings = new WeakMap<Limit, Spelling>();

function spellingOf(limit: Limit): Spelling {
  let spelling = spellings.get(limit);
  if (!spelling) {
    const { name, numbers, unit, size, mode, override, per } = limit;
    const refusal = exceededStart(limit);
    spelling = {
      start: `{"name":${quote(name)},"algorithm":"${numbers.algorithm}","unit":${quote(unit)},"cost":`,
      size: `,"limit":${size},"base_limit":${override?.baseSize ?? size},"used":`,
      override: `,"override_id":${text(override?.id ?? null)}`,
      end: `,"mode":"${mode}"}`,
      blocker: blocker({ limit: name, per, level: levelOf(limit).name }),
      refusal: refusal && quote(refusal).slice(0, -1),
    };
    spellings.set(limit, spelling);
  }
  return spelling;
}
