import {
  allowedBy,
  Decision,
  inWords,
  levelOf,
  type BlockedBy,
  type ShownLimit,
  type ShutOut,
} from 'sluice/core';
import type { KeptCheck } from './kept-check.ts';
import { refusersOf, wouldBlockersOf } from './refusers.ts';

// What a receipt tells in words. Support passes it on as it is: so it says when, what, by which
// limit and number, and never how we work inside.

const textLengthMax = 100;

export function whatHappened(kept: KeptCheck): string {
  const { event, atMs, repeats } = kept;
  const { decision, resource, subject } = event;
  const done = decision.allowed ? 'let in' : 'refused';
  const call = `${timeOf(atMs)}: ${shortened(resource)} of ${shortened(subject)} was ${done}.`;
  const again = repeats === 0 ? '' : ` The same happened ${times(repeats)} more in that second.`;
  return `${call} ${reasonOf(kept)}${again}`;
}

export function whatToDo({ event: { decision }, atMs }: KeptCheck, clearsAtMs: number | null) {
  const { blockedBy } = decision;
  if (blockedBy) return adviceFor(decision, blockedBy, { atMs, clearsAtMs });
  const [wouldBlock] = wouldBlockersOf(decision);
  if (wouldBlock) return adviceOn(wouldBlock);
  const { delayMs } = decision;
  if (delayMs > 0)
    return `Wait ${inWords(delayMs)} before the next call: the limit is nearly used up.`;
  return 'Nothing: it was let in.';
}

function reasonOf({ event: { decision }, outcome }: KeptCheck): string {
  const { blockedBy } = decision;
  if (blockedBy) return refusalOf(decision, blockedBy);
  if (outcome === 'degraded') return degradedOf(decision);
  const wouldBlock = wouldBlockersOf(decision);
  if (wouldBlock.length > 0) return wouldBlock.map((one) => wouldRefuse(decision, one)).join(' ');
  const shown = Decision.shownOf(decision);
  if (!shown) return 'No limit applies to it.';
  return `${standing(decision, shown)}, and ${shown.view.remaining} of that was left.`;
}

function refusalOf(decision: Decision, { limit, level, reason }: BlockedBy): string {
  const { shutOut } = Decision.factsOf(decision);
  if (shutOut) return `The caller is blocked by this ${level}, ${until(shutOut)}.`;
  const shown = Decision.shownOf(decision);
  if (!shown) {
    const why = decision.degradedReason ?? 'no answer';
    return `${limit} could not be checked (${why}), and refuses then.`;
  }
  const others = refusersOf(decision)
    .filter((one) => one !== shown)
    .map((one) => one.bound.limit.name);
  const more = others.length === 0 ? '' : ` Refused by ${others.join(', ')} as well.`;
  return `${standing(decision, shown)}; ${why(shown, reason)}.${overridden(shown)}${more}`;
}

function why({ bound: { limit, cost }, view: { used } }: ShownLimit, reason: string): string {
  const asked = limit.numbers.algorithm === 'concurrency' ? 'one more' : `for ${cost} more`;
  if (reason === 'impossible') return `the call asked for ${cost} at once, more than that`;
  if (reason === 'penalty') return 'after earlier refusals its calls are blocked for a while';
  return `${used} ${used === 1 ? 'was' : 'were'} used when the call asked ${asked}`;
}

function wouldRefuse(decision: Decision, one: ShownLimit): string {
  const { name, mode } = one.bound.limit;
  const { verdict } = one.reading;
  return `In ${mode}, ${name} would have refused it: ${standing(decision, one)}; ${why(one, verdict)}.${overridden(one)}`;
}

function degradedOf(decision: Decision): string {
  if (decision.degradedReason === 'overflow') {
    return 'Too many new callers came at once: it was counted together with other new ones.';
  }
  const why = decision.degradedReason ?? 'no answer';
  return `Its limits could not be checked (${why}), and let calls through then.`;
}

/** `search allows 100 per 1 minute for acme`. */
function standing(decision: Decision, { bound: { limit } }: ShownLimit): string {
  const { tenant: entity } = Decision.factsOf(decision).check;
  return allowedBy(limit, { level: levelOf(limit).name, entity });
}

function overridden({ bound: { limit } }: ShownLimit): string {
  if (limit.override === null) return '';
  const { id, baseSize } = limit.override;
  return ` That is by override ${id}; without it, it would be ${baseSize}.`;
}

function until({ untilUs }: ShutOut): string {
  return untilUs === null ? 'until somebody lifts that' : `until ${timeOf(untilUs / 1000)}`;
}

type Times = { readonly atMs: number; readonly clearsAtMs: number | null };

function adviceFor(decision: Decision, { reason }: BlockedBy, { atMs, clearsAtMs }: Times): string {
  const shown = Decision.shownOf(decision);
  if (clearsAtMs !== null) {
    const wait = inWords(Math.max(0, clearsAtMs - atMs));
    const fits =
      reason === 'blocked' ? 'the block is over' : 'the same call fits if nobody else calls';
    return `Wait ${wait}, then try again: at ${timeOf(clearsAtMs)} ${fits}.`;
  }
  if (reason === 'blocked')
    return 'Ask whoever runs the service to lift the block: waiting does not.';
  if (reason === 'unavailable' || !shown) return 'Try again in a moment.';
  if (reason === 'impossible') {
    return `Ask for at most ${shown.bound.limit.size} at once: this call can never fit, however long you wait.`;
  }
  return 'Let an open call end, then try again.';
}

function adviceOn({ bound: { limit }, view: { retryAfterUs } }: ShownLimit): string {
  const from = limit.enforceFromMs;
  const when = from === null ? 'Once it is enforced' : `From ${dayOf(from)} on`;
  const better =
    retryAfterUs === null
      ? `ask for at most ${limit.size} at once`
      : `wait ${inWords(retryAfterUs / 1000)} before such a call`;
  return `Nothing now: it was let in. ${when}, ${limit.name} will refuse this: ${better}.`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** `2026-11-16 12:00:03.250 UTC`, rounded up: whoever waits until then has waited long enough. */
function timeOf(ms: number): string {
  return new Date(Math.ceil(ms)).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function shortened(text: string): string {
  return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text;
}
