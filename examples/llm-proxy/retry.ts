import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 2000;

/** For what has to happen in the end, whoever is away: a debt does not go by waiting. */
export async function untilDone<Result>(
  what: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      console.error(`${what}, again in ${pauseMs} ms: ${reasonOf(error)}`);
      await sleep(pauseMs);
    }
  }
}

/** `fetch` says no more than that it failed; why, its cause knows. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
