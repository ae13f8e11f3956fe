/** What a descriptor adds to the statistics of its rule. */
export type HitCounts = {
  readonly total: number;
  readonly over: number;
  readonly near: number;
  readonly within: number;
  readonly shadow: number;
};

export type Hits = {
  readonly hits: number;
  /** What was used before them. */
  readonly before: number;
  readonly limit: number;
  readonly isOver: boolean;
  readonly isShadow: boolean;
};

const nearRatio = 0.8;

/**
 * The reference service's arithmetic: as if the hits had been added, whether they were or not. Those
 * beyond the limit are over, those in its last fifth near.
 */
export function hitCountsOf({ hits, before, limit, isOver, isShadow }: Hits): HitCounts {
  const near = Math.floor(limit * nearRatio);
  const after = before + hits;
  if (isOver) {
    const over = before >= limit ? hits : Math.max(0, after - limit);
    return {
      total: hits,
      over,
      near: before >= limit ? 0 : Math.max(0, limit - Math.max(near, before)),
      within: 0,
      shadow: isShadow ? over : 0,
    };
  }
  const nearHits = after <= near ? 0 : before >= near ? hits : after - near;
  return { total: hits, over: 0, near: nearHits, within: hits, shadow: 0 };
}
