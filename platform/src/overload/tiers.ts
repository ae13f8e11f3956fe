/** From the last to be refused to the first. */
export const tiers = ['enterprise', 'business', 'starter', 'free'] as const;

export const lowestRank = tiers.length - 1;

const ranks = new Map<string, number>(tiers.map((tier, rank) => [tier, rank]));

/** Who is in none of them is as the lowest: nobody said that it matters more. */
export function rankOf(tier: string): number {
  return ranks.get(tier) ?? lowestRank;
}
