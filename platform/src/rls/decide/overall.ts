/** What one descriptor has to say about the whole request. */
export type Vote = {
  readonly isOver: boolean;
  readonly isShadow: boolean;
  readonly isQuota: boolean;
};

/** By any rule that is over; of those in quota mode, only where all are. One in shadow never is. */
export function isRefused(votes: readonly Vote[]): boolean {
  let quotas = 0;
  let quotasOver = 0;
  for (const { isOver, isShadow, isQuota } of votes) {
    const counts = isOver && !isShadow;
    if (isQuota) {
      quotas += 1;
      if (counts) quotasOver += 1;
    } else if (counts) {
      return true;
    }
  }
  return quotas > 0 && quotas === quotasOver;
}
