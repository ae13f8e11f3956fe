import type { ParsedCheck } from '../core/check.ts';
import { Decision, type BlockedBy, type ShownLimit } from '../core/decision.ts';
import { inAscii } from '../core/in-ascii.ts';
import { inOnePiece } from '../core/in-one-piece.ts';
import { entityOf, levelOf } from '../core/level.ts';
import type { Limit } from '../core/limit.ts';
import { exceededStart, inWords } from '../core/message.ts';
import { wholeMs } from './decision-to-wire.ts';

/**
 * What `JSON.stringify(decisionToWire(decision))` makes, in a fraction of the time: every check of the
 * service ends here. Nothing is built that is not written, and it is put together from few pieces, for
 * each costs again when the text is sent: what always reads the same is one piece. All of it is ASCII,
 * with other letters escaped: whoever sends it need not look which letters take how many bytes.
 */
export function decisionToJson(decision: Decision): string {
  const { check } = Decision.factsOf(decision);
  const views = Decision.viewsOf(decision);
  const shown = Decision.shownOf(decision);
  return (
    `${verdict(decision, shown)}${decision.remaining},"reset_at":${decision.resetAt}` +
    `${advice(decision, shown)}${id(decision)}${rest(decision, check, wouldBlock(views))}` +
    `${limits(views)}]}`
  );
}

/** What follows the decision's id, up to the limits: mostly there is little to tell. */
function rest(decision: Decision, check: ParsedCheck, blocking: string): string {
  const how = circumstances(decision);
  const price = priced(check);
  const holdsNothing = decision.ticket === null && !decision.reservation;
  if (how === plainly && price === costsOne && blocking === '' && holdsNothing) {
    const plain = decision.allowed ? plainRest : plainRefusal(decision);
    if (plain !== null) return plain;
  }
  return how + price + consequences(decision, blocking);
}

/** Null where it was not one limit that is exceeded, or whom it refuses needs to be escaped. */
function plainRefusal(decision: Decision): string | null {
  const shown = Decision.shownOf(decision);
  if (shown?.reading.verdict !== 'exceeded') return null;
  const { limit } = shown.bound;
  const entity = entityOf(limit, Decision.factsOf(decision).check);
  if (entity === null || !isPlainText(entity)) return null;
  return spellingOf(limit).plainRefusal + entity + exceededOnly;
}

/** Up to what remains. */
function verdict({ allowed }: Decision, shown: ShownLimit | null): string {
  if (!shown) return `{"allowed":${allowed},"limit":null,"remaining":`;
  const { admits, refuses } = spellingOf(shown.bound.limit);
  return allowed ? admits : refuses;
}

/** How long to wait and what to tell, up to the decision's id. */
function advice(decision: Decision, shown: ShownLimit | null): string {
  if (decision.allowed) return goOn;
  const waitMs = decision.retryAfterMs;
  const refusal = shown?.reading.verdict === 'exceeded' && spellingOf(shown.bound.limit).refusal;
  const said = refusal ? exceededFor(refusal, waitMs ?? 0) : messageOf(quote(decision.message));
  return `,"retry_after_ms":${wholeMs(waitMs)}${said}`;
}

const goOn = ',"retry_after_ms":0,"message":"Allowed.","decision_id":"';

function messageOf(text: string): string {
  return `,"message":${text},"decision_id":"`;
}

/** Of a refusal all but the wait is the same each time, unless it names the caller. */
function exceededFor(refusal: string, waitMs: number): string {
  const wait = inWords(waitMs);
  if (told.refusal !== refusal || told.wait !== wait) {
    told = { refusal, wait, text: inOnePiece(messageOf(`${refusal}${wait}."`)) };
  }
  return told.text;
}

/** Of a flood one is told what the last was. */
let told = { refusal: '', wait: '', text: '' };

/** Without its quotes. What we made needs no look; what a store kept might. */
function id({ decisionId, replayed }: Decision): string {
  return replayed ? quote(decisionId).slice(1, -1) : decisionId;
}

/** How we know, and how it is meant, after the decision's id. */
function circumstances(decision: Decision): string {
  const { basis, degradedReason, mode, delayMs, replayed } = decision;
  const isPlain = basis === 'exact' && degradedReason === null && mode === 'enforce';
  if (isPlain && delayMs === 0 && !replayed) return plainly;
  return (
    `","basis":"${basis}","degraded_reason":${text(degradedReason)},"mode":${text(mode)}` +
    `,"delay_ms":${delayMs},"replayed":${replayed}`
  );
}

const plainly =
  '","basis":"exact","degraded_reason":null,"mode":"enforce","delay_ms":0,"replayed":false';

/** Most cost one and nothing else. */
function priced({ cost, costs }: Pick<Decision, 'cost' | 'costs'>): string {
  let items = '';
  for (const unit in costs) items = joined(items, `${quote(unit)}:${costs[unit]}`);
  return cost === 1 && items === '' ? costsOne : `,"cost":${cost},"costs":{${items}}`;
}

const costsOne = ',"cost":1,"costs":{}';

/** Besides yes: who said no, who would have, and what is held for the caller; up to the limits. */
function consequences(decision: Decision, blocking: string): string {
  const { allowed, ticket, adaptive } = decision;
  const held = decision.reservation;
  if (blocking === '' && ticket === null && !held) {
    return allowed ? noConsequences : `${blocker(decision)}${nothingElse}`;
  }
  return (
    `${allowed ? nobody : blocker(decision)},"would_block":[${blocking}]` +
    `,"adaptive":{"factor":${adaptive.factor},"reason":${text(adaptive.reason)}}` +
    `,"ticket":${text(ticket)},"reservation":${reservation(held)},"limits":[`
  );
}

const nobody = ',"blocked_by":null';
const nothingElse =
  ',"would_block":[],"adaptive":{"factor":1,"reason":null},"ticket":null,"reservation":null,"limits":[';
const noConsequences = inOnePiece(nobody + nothingElse);
const plainRest = inOnePiece(plainly + costsOne + noConsequences);
const exceededOnly = inOnePiece(`","reason":"exceeded"}${nothingElse}`);

/** Most texts need no escape, which is found out faster than it is done. */
function quote(value: string): string {
  return isPlainText(value) ? `"${value}"` : inAscii(JSON.stringify(value));
}

function isPlainText(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    const isPlain = code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c;
    if (!isPlain) return false;
  }
  return true;
}

function text(value: string | null): string {
  return value === null ? 'null' : quote(value);
}

function blocker(decision: Decision): string {
  const shown = Decision.shownOf(decision);
  if (shown?.reading.verdict === 'exceeded') {
    const { limit } = shown.bound;
    const entity = entityOf(limit, Decision.factsOf(decision).check);
    return `${spellingOf(limit).blocker}${text(entity)},"reason":"exceeded"}`;
  }
  const { blockedBy: by } = decision;
  return by ? `${blockerStart(by)}${text(by.entity)},"reason":"${by.reason}"}` : nobody;
}

function blockerStart({ limit, per, level }: Pick<BlockedBy, 'limit' | 'per' | 'level'>): string {
  return `,"blocked_by":{"limit":${text(limit)},"per":${list(per)},"level":"${level}","entity":`;
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
  const { start, size, startOfOne, override, ok, end } = spellingOf(bound.limit);
  const asked = bound.cost === 1 ? startOfOne : start + bound.cost + size;
  const seen =
    `${asked}${view.used},"remaining":${view.remaining}${override}` +
    Math.ceil(view.resetAtUs / 1_000_000);
  if (reading.verdict === 'ok') return seen + ok;
  const retryAfterMs = view.retryAfterUs === null ? null : Math.ceil(view.retryAfterUs / 1000);
  return `${seen},"retry_after_ms":${retryAfterMs}${end}`;
}

/** What is the same of a limit in every decision, around what is not. */
type Spelling = {
  /** Of the decision where this limit is shown, up to what remains. */
  readonly admits: string;
  readonly refuses: string;
  /** Of the limit itself: up to the cost, to what is used, to when it is reset, and after that. */
  readonly start: string;
  readonly size: string;
  /** Both, with a cost of one between them. */
  readonly startOfOne: string;
  readonly override: string;
  readonly ok: string;
  readonly end: string;
  /** Where it refuses: who does, up to whom; and in words, up to the wait. */
  readonly blocker: string;
  /** The same with what stands before it where that is nothing special, up to the very letters. */
  readonly plainRefusal: string;
  readonly refusal: string | null;
};

const spellings = new WeakMap<Limit, Spelling>();

function spellingOf(limit: Limit): Spelling {
  let spelling = spellings.get(limit);
  if (!spelling) {
    const { name, numbers, unit, size, mode, override, per } = limit;
    const refusal = exceededStart(limit);
    const start = `{"name":${quote(name)},"algorithm":"${numbers.algorithm}","unit":${quote(unit)},"cost":`;
    const blocked = blockerStart({ limit: name, per, level: levelOf(limit).name });
    const sized = `,"limit":${size},"base_limit":${override?.baseSize ?? size},"used":`;
    spelling = {
      admits: inOnePiece(`{"allowed":true,"limit":${size},"remaining":`),
      refuses: inOnePiece(`{"allowed":false,"limit":${size},"remaining":`),
      start: inOnePiece(start),
      size: inOnePiece(sized),
      startOfOne: inOnePiece(`${start}1${sized}`),
      override: inOnePiece(`,"override_id":${text(override?.id ?? null)},"reset_at":`),
      ok: inOnePiece(`,"retry_after_ms":0,"allowed":true,"mode":"${mode}"}`),
      end: inOnePiece(`,"allowed":false,"mode":"${mode}"}`),
      blocker: inOnePiece(blocked),
      plainRefusal: inOnePiece(`${plainly}${costsOne}${blocked}"`),
      refusal: refusal && inOnePiece(quote(refusal).slice(0, -1)),
    };
    spellings.set(limit, spelling);
  }
  return spelling;
}
