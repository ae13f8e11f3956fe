import type { Limit } from 'sluice/core';

/** The modes in which a limit only says whom it would have refused, in the order of a rollout. */
export const stages = ['shadow', 'warn'] as const;
export type Stage = (typeof stages)[number];

export function stageOf({ mode }: Limit): Stage | null {
  return mode === 'enforce' ? null : mode;
}

const definers = new WeakMap<Limit, string>();

/**
 * Who defines a limit, as its counters know it: `plan` whichever that is, `policy` with the pattern,
 * or `quota`. A counter's id begins with it, and with its length.
 */
export function definedByOf(limit: Limit): string {
  let text = definers.get(limit);
  if (text === undefined) {
    const { counterId } = limit;
    const start = counterId.indexOf(':') + 1;
    text = counterId.slice(start, start + Number(counterId.slice(0, start - 1)));
    definers.set(limit, text);
  }
  return text;
}
