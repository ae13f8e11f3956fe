import type { LimitDecision } from '../core/decision.ts';
import type { DecisionView } from '../core/limiter-port.ts';
import { integer, quoted } from './structured.ts';

/**
 * The draft's two fields of a decision that was made elsewhere. Its JSON tells no window, which the
 * draft makes optional; how long to count on what remains is told by when the limit is whole again.
 */
export function viewFields({ limits }: DecisionView, nowMs: number) {
  const closest = limits.filter(({ mode }) => mode === 'enforce').toSorted(byWhatIsLeft);
  const shown = closest.slice(0, itemsMax);
  return {
    policy: shown.map(policyItem).join(', '),
    state: shown.map((limit) => stateItem(limit, nowMs)).join(', '),
  };
}

const itemsMax = 4;

function byWhatIsLeft(a: LimitDecision, b: LimitDecision): number {
  return a.remaining / a.limit - b.remaining / b.limit || (a.name < b.name ? -1 : 1);
}

function policyItem({ name, algorithm, unit, limit }: LimitDecision): string {
  const counted = algorithm === 'concurrency' ? 'concurrent-requests' : unit;
  const unitText = counted === 'requests' ? '' : `;qu=${quoted(counted)}`;
  return `${quoted(name)};q=${integer(limit)}${unitText}`;
}

function stateItem(limit: LimitDecision, nowMs: number): string {
  const item = `${quoted(limit.name)};r=${integer(limit.remaining)}`;
  if (limit.algorithm === 'concurrency') return item;
  const waits = !limit.allowed && limit.retryAfterMs !== null;
  const ms = waits ? (limit.retryAfterMs ?? 0) : limit.resetAt * 1000 - nowMs;
  return `${item};t=${integer(Math.max(1, Math.ceil(ms / 1000)))}`;
}

/** One line about the limits that only warn and would have refused; null when there is none. */
export function viewWarning({ limits, wouldBlock }: DecisionView): string | null {
  const warned = limits.filter(({ name, mode }) => mode === 'warn' && wouldBlock.includes(name));
  if (warned.length === 0) return null;
  return warned
    .slice(0, itemsMax)
    .map(({ name, limit, used }) => `${name}: ${limit}, used ${used}, not enforced yet`)
    .join('; ');
}
