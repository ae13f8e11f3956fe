import type { CanonicalLimit } from 'sluice/contract';
import { waitInWords } from '../../ui/words.ts';
import type { Answer } from './burst/answer.ts';
import type { BurstSettings } from './burst/settings.ts';

/** What a client that wants none of its calls refused would have done with this burst. */
export function adviceFor(
  limit: CanonicalLimit,
  settings: BurstSettings,
  answers: readonly Answer[],
): readonly string[] {
  const refused = answers.filter(({ decision }) => !decision.allowed);
  if (refused.some(({ decision }) => decision.blocked_by?.reason === 'impossible')) {
    return [
      `A cost of ${settings.cost} never fits a limit of ${sizeOf(limit)}: waiting does not help. Ask for less at a time.`,
    ];
  }
  const plan = planFor(limit, settings);
  if (answers.length > 0 && refused.length === 0) {
    return [`Nothing was refused. ${plan}`];
  }
  return refused.length === 0 ? [plan] : [plan, afterRefusal(limit, refused)];
}

function planFor(limit: CanonicalLimit, { size, cost, holdMs }: BurstSettings): string {
  switch (limit.algorithm) {
    case 'token_bucket': {
      const atOnce = Math.floor(limit.bucket_capacity / cost);
      const gapMs = (cost / limit.refill_rate_per_sec) * 1000;
      const rest = Math.max(0, size - atOnce);
      const whole = rest === 0 ? 'at once' : `in ${waitInWords(rest * gapMs)}`;
      return `Up to ${calls(atOnce)} at once, then one every ${waitInWords(gapMs)}: ${calls(size)} are through ${whole}.`;
    }
    case 'fixed_window': {
      const each = Math.floor(limit.limit / cost);
      return `At most ${calls(each)} in each window of ${limit.window_seconds} seconds: ${calls(size)} take ${windows(Math.ceil(size / each))}.`;
    }
    case 'sliding_window_log':
    case 'sliding_window_counter': {
      const each = Math.floor(limit.limit / cost);
      const gapMs = (limit.window_seconds * 1000) / each;
      return `At most ${calls(each)} in any ${limit.window_seconds} seconds; evenly, that is one every ${waitInWords(gapMs)}.`;
    }
    case 'concurrency': {
      const rounds = Math.ceil(size / limit.max_concurrent);
      return `At most ${calls(limit.max_concurrent)} open at a time, the rest waiting in the client: ${calls(size)} of ${waitInWords(holdMs)} are through in ${waitInWords(rounds * holdMs)}.`;
    }
    case 'quota':
      return `Keep count of X-RateLimit-Remaining, and spread what must last for the ${limit.period}: that is ${calls(Math.floor(limit.limit / cost))} like these.`;
  }
}

function afterRefusal(limit: CanonicalLimit, refused: readonly Answer[]): string {
  const [first] = refused;
  const waitMs = first?.decision.retry_after_ms ?? 0;
  if (limit.algorithm === 'quota') {
    return `After the first refusal, nothing until the ${limit.period} is over (Retry-After says ${waitInWords(waitMs)}).`;
  }
  const waiting = `After the first refusal, wait ${waitInWords(waitMs)}, as it said`;
  const more = refused.length - 1;
  if (more === 0) return `${waiting}.`;
  return `${waiting}; asking ${more === 1 ? 'again' : `${more} more times`} meanwhile gained nothing that waiting would not have.`;
}

function sizeOf(limit: CanonicalLimit): number {
  if (limit.algorithm === 'token_bucket') return limit.bucket_capacity;
  return limit.algorithm === 'concurrency' ? limit.max_concurrent : limit.limit;
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

function windows(count: number): string {
  return count === 1 ? 'one window' : `${count} windows`;
}
