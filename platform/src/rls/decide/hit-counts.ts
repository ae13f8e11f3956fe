/** What a descriptor adds to the statistics of its rule. */
export type HitCounts = {
  readonly total: number;
  readonly over: number;
  readonly near: number;
  readonly within: number;
  readonly shadow: number;
  /** Of those that are over, what the store was not asked about. */
  readonly overUnasked: number;
};

export type Hits = {
  readonly hits: number;
  /** What was used before them. */
  readonly before: number;
  readonly limit: number;
  readonly isOver: boolean;
  readonly isShadow: boolean;
  /** Over, as this process knew. */
  readonly isUnasked: boolean;
};

const nearRatio = 0.8;

/**
 * The reference service's arithmetic: as if the hits had been added, whether they were or not. Those
 * beyond the limit are over, those in its last fifth near.
 */
export function hitCountsOf(asked: Hits): HitCounts {
  const { hits, before, limit, isOver, isShadow, isUnasked } = asked;
  if (isUnasked) return countsUnasked(hits, isShadow);
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
      overUnasked: 0,
    };
  }
  const nearHits = after <= near ? 0 : before >= near ? hits : after - near;
  return { total: hits, over: 0, near: nearHits, within: hits, shadow: 0, overUnasked: 0 };
}

/** All of them over: nobody looked how much was used by now. */
function countsUnasked(hits: number, isShadow: boolean): HitCounts {
  const shadow = isShadow ? hits : 0;
  return { total: hits, over: hits, near: 0, within: 0, shadow, overUnasked: hits };
}
