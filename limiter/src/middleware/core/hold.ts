import type { ResponseFacts } from './facts.ts';

/** Holds a call for as long as was advised. False: the caller went away meanwhile. */
export function hold(ms: number, response: ResponseFacts): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    response.onEnd(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
