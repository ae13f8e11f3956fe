/** What was let in, when, by a clock that all who asked share. */
export type Admission = { readonly atMs: number; readonly cost: number };

export type Bucket = { readonly capacity: number; readonly refillPerSecond: number };

/**
 * Envelope excess: the most by which what was let in within any interval exceeds capacity plus refill.
 * One pass through a virtual leaky bucket: its level is the largest of those sums that end here.
 */
export function envelopeExcess(
  admissions: readonly Admission[],
  { capacity, refillPerSecond }: Bucket,
): number {
  const inOrder = admissions.toSorted((a, b) => a.atMs - b.atMs);
  let [level, lastMs, most] = [0, -Infinity, 0];
  for (const { atMs, cost } of inOrder) {
    const leaked = lastMs === -Infinity ? 0 : ((atMs - lastMs) / 1000) * refillPerSecond;
    level = Math.max(0, level - leaked) + cost;
    lastMs = atMs;
    most = Math.max(most, level);
  }
  return Math.max(0, most - capacity);
}

/**
 * The same in whole calls, where times are those of the answers: one may be told late by up to
 * `latestMs`, in which as much flows in as is no excess.
 */
export function callsBeyond(
  admissions: readonly Admission[],
  bucket: Bucket,
  { latestMs }: { readonly latestMs: number },
): number {
  const late = (latestMs / 1000) * bucket.refillPerSecond;
  // A millionth: what adding up fractions may have lost.
  return Math.max(0, Math.ceil(envelopeExcess(admissions, bucket) - late - 1e-6));
}
