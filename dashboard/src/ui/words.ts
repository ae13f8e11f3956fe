const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 minutes ago`, `in 2 days`. */
export function agoInWords(differenceMs: number): string {
  for (const [unit, unitMs] of units) {
    if (Math.abs(differenceMs) >= unitMs) {
      return relative.format(Math.trunc(differenceMs / unitMs), unit);
    }
  }
  return differenceMs > 0 ? 'in a moment' : 'just now';
}

/** `2 d 4 h`, `3 min 20 s`: the two largest parts. */
export function lasting(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return first === -1 ? '0 s' : shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ');
}

/** `340 ms`, `1.3 s`: how long to wait, rounded up so that waiting as told suffices. */
export function waitInWords(waitMs: number): string {
  if (waitMs < 1000) return `${Math.ceil(waitMs)} ms`;
  if (waitMs < 60_000) return `${(Math.ceil(waitMs / 100) / 10).toLocaleString('en')} s`;
  return lasting(waitMs);
}

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** `12.3K`, for where there is little room. */
export function shortCount(value: number): string {
  return value < 10_000 ? whole.format(value) : compact.format(value);
}
