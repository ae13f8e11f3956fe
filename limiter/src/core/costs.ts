/** Costs by unit. */
export type Costs = Readonly<Record<string, number>>;

/** A unit may be called like what every object has. */
export function ownCost(costs: Costs, unit: string): number | undefined {
  return Object.hasOwn(costs, unit) ? costs[unit] : undefined;
}

/** The most that any of the limits in a unit costs. */
export function costsByUnit(
  limits: readonly { readonly unit: string; readonly cost: number }[],
): Costs {
  const costs: Record<string, number> = Object.create(null);
  for (const { unit, cost } of limits) costs[unit] = Math.max(costs[unit] ?? 0, cost);
  return costs;
}
