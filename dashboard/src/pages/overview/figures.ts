import type { LiveSecond } from '../../live/second.ts';

/** Long enough not to jump, short enough to be now. */
const meanOver = 5;

/** How many a second, lately. */
export function lately(seconds: readonly LiveSecond[], of: (second: LiveSecond) => number): number {
  const recent = seconds.slice(-meanOver);
  return recent.reduce((sum, second) => sum + of(second), 0) / Math.max(1, recent.length);
}

export function wouldRefuse({ outcomes }: LiveSecond): number {
  return outcomes.warned + outcomes.shadowed;
}

/** `0`, `0.4`, `9`, `3,400`. */
export function perSecond(value: number): string {
  const shown = value < 10 ? Number(value.toFixed(1)) : Math.round(value);
  return shown.toLocaleString('en');
}

export function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return value < 10 ? `${value.toFixed(2)} ms` : `${Math.round(value)} ms`;
}

/** Of the last second in which anything was decided. */
export function latestLatency(seconds: readonly LiveSecond[]): LiveSecond['latency_ms'] {
  const last = seconds.findLast(({ latency_ms: { p50 } }) => p50 !== null);
  return last?.latency_ms ?? { p50: null, p99: null };
}
