import { useEffect, useState } from 'react';
import { agoInWords, lasting } from './words.ts';

/** A moment, told from now; in full when pointed at. */
export function Time({ at }: { readonly at: string | number | Date }) {
  const date = new Date(at);
  const nowMs = useNowMs(30_000);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {agoInWords(date.getTime() - nowMs)}
    </time>
  );
}

/** What is left until then, second by second. */
export function Countdown({ to, over = 'over' }: { readonly to: string; readonly over?: string }) {
  const nowMs = useNowMs(1000);
  const leftMs = Date.parse(to) - nowMs;
  return (
    <time dateTime={to} title={new Date(to).toLocaleString()} className="figures">
      {leftMs <= 0 ? over : lasting(leftMs)}
    </time>
  );
}

/** Now, renewed that often. */
export function useNowMs(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
