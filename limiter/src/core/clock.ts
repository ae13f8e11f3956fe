/** Unix time in microseconds. Everything that needs the time is handed one of these. */
export type Clock = () => number;

/** Taken once: Node looks the global one up anew each time, which takes as long as reading it. */
const { performance } = globalThis;
const originUs = Math.round(performance.timeOrigin * 1000);

/**
 * The wall clock as it was at start, moved on by the monotonic clock: it never goes back and an
 * adjusted system clock neither grants nor takes tokens.
 */
export const systemClock: Clock = () => originUs + Math.floor(performance.now() * 1000);
