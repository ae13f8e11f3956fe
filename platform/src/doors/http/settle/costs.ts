import { InvalidInput } from 'sluice/core';

type Body = {
  readonly cost?: number | undefined;
  readonly costs?: Readonly<Record<string, number>> | undefined;
};

/** By unit, as engines count: what `cost` says is in requests. Null when nothing is said. */
export function askedCosts({ cost, costs }: Body): Readonly<Record<string, number>> | null {
  if (costs && Object.hasOwn(costs, 'requests')) {
    throw new InvalidInput('costs.requests', 'is what `cost` says');
  }
  if (cost === undefined && costs === undefined) return null;
  return { ...costs, ...(cost === undefined ? {} : { requests: cost }) };
}

/** The same for who reads it. Where no limit counts requests, it is what was said. */
export function shownCosts(byUnit: Readonly<Record<string, number>>, said = 0) {
  const { requests = said, ...costs } = byUnit;
  return { cost: requests, costs };
}
