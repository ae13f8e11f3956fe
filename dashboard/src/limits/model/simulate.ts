import { periodAt, type Limit } from 'sluice/core';
import { Counter } from './counter.ts';

export type Pattern = 'steady' | 'bursts' | 'rising';

export type Traffic = {
  readonly pattern: Pattern;
  /** On average, for all patterns alike. */
  readonly callsPerSecond: number;
  /** How long each call is open; only slots mind. */
  readonly callSeconds: number;
};

/** What happened in one part of the time. */
export type Part = { readonly asked: number; readonly admitted: number; readonly left: number };

export type Simulation = {
  readonly parts: readonly Part[];
  readonly spanSeconds: number;
  readonly asked: number;
  readonly admitted: number;
  /** Null when nobody was refused. */
  readonly firstRefusalSeconds: number | null;
};

const instantsPerPart = 6;

/** Sends traffic to a counter of the limit, in no time at all. */
export function simulate(limit: Limit, traffic: Traffic): Simulation {
  const spanSeconds = spanSecondsOf(limit, traffic);
  const counter = new Counter(limit, traffic.callSeconds * 1e6);
  const startUs = startUsOf(limit);
  const total = Math.round(traffic.callsPerSecond * spanSeconds);
  const instants = partCountOf(total) * instantsPerPart;
  const parts: Part[] = [];
  let [sent, asked, admitted, firstRefusal] = [0, 0, 0, -1];
  for (let at = 0; at < instants; at += 1) {
    const nowUs = startUs + Math.round((at / instants) * spanSeconds * 1e6);
    const due = Math.round(total * arrived(traffic.pattern, (at + 1) / instants));
    const through = due > sent ? counter.ask(due - sent, nowUs) : 0;
    if (through < due - sent && firstRefusal < 0) firstRefusal = at;
    asked += due - sent;
    admitted += through;
    sent = due;
    if ((at + 1) % instantsPerPart > 0) continue;
    parts.push({ asked, admitted, left: counter.remaining(nowUs) });
    [asked, admitted] = [0, 0];
  }
  return summed(
    parts,
    spanSeconds,
    firstRefusal < 0 ? null : (firstRefusal / instants) * spanSeconds,
  );
}

/**
 * So many that even traffic looks even: of two or three calls each, every other part would stand
 * out, and so it would if the calls could not be dealt out without a remainder.
 */
function partCountOf(total: number): number {
  const wanted = Math.min(96, Math.max(24, Math.floor(total / 8)));
  for (let off = 0; off <= 24; off += 1) {
    if (total % (wanted + off) === 0) return wanted + off;
    if (wanted - off >= 24 && total % (wanted - off) === 0) return wanted - off;
  }
  return wanted;
}

function summed(
  parts: readonly Part[],
  spanSeconds: number,
  firstRefusalSeconds: number | null,
): Simulation {
  const asked = parts.reduce((sum, part) => sum + part.asked, 0);
  const admitted = parts.reduce((sum, part) => sum + part.admitted, 0);
  return { parts, spanSeconds, asked, admitted, firstRefusalSeconds };
}

const burstCount = 4;

/** The share of all calls that has come by then, when a share of the time has gone by. */
function arrived(pattern: Pattern, time: number): number {
  if (pattern === 'steady') return time;
  if (pattern === 'rising') return time * time;
  return Math.min(1, Math.ceil(time * burstCount) / burstCount);
}

/** How many calls a second it lets through for ever. */
export function sustainedPerSecond(limit: Limit, callSeconds: number): number {
  const { numbers, size } = limit;
  switch (numbers.algorithm) {
    case 'token_bucket':
      return (numbers.tokens / numbers.perUs) * 1e6;
    case 'concurrency':
      return size / Math.min(callSeconds, numbers.staleAfterUs / 1e6);
    case 'quota':
      return size / periodSeconds(limit);
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return size / (numbers.windowUs / 1e6);
  }
}

/** Long enough to see it recover a few times, from refusals and from penalties. */
function spanSecondsOf(limit: Limit, { callSeconds }: Traffic): number {
  const { numbers, penalty, size } = limit;
  const penaltySeconds = penalty ? (penalty.blockUs / 1e6) * 4 : 0;
  const own =
    numbers.algorithm === 'concurrency'
      ? callSeconds * 8
      : numbers.algorithm === 'quota'
        ? periodSeconds(limit) * 2
        : (size / sustainedPerSecond(limit, callSeconds)) * 4;
  return Math.max(own, penaltySeconds);
}

function periodSeconds({ numbers }: Limit): number {
  if (numbers.algorithm !== 'quota') return 0;
  const { startUs, endUs } = periodAt(numbers.calendar, Date.now() * 1000);
  return (endUs - startUs) / 1e6;
}

/** At the start of a window or period, so that what is drawn begins with a whole one. */
function startUsOf({ numbers }: Limit): number {
  const nowUs = Date.now() * 1000;
  if (numbers.algorithm === 'quota') return periodAt(numbers.calendar, nowUs).startUs;
  const windowUs = 'windowUs' in numbers ? numbers.windowUs : 1e6;
  return Math.ceil(nowUs / windowUs) * windowUs;
}
