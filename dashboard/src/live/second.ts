/** What happened on all nodes in one second, as `GET /v1/admin/live` tells it. */
export type LiveSecond = {
  /** Unix seconds. */
  readonly at: number;
  readonly nodes: number;
  readonly decisions: number;
  readonly outcomes: Readonly<
    Record<'allowed' | 'blocked' | 'warned' | 'shadowed' | 'degraded', number>
  >;
  readonly latency_ms: { readonly p50: number | null; readonly p99: number | null };
  readonly top_limits: readonly LiveLimit[];
  readonly top_subjects: readonly LiveSubject[];
  readonly stores: Readonly<Record<'database' | 'store', 'up' | 'down'>>;
  readonly factor: number;
};

export type LiveLimit = {
  readonly tenant_id: string;
  readonly limit: string;
  readonly refused: number;
  readonly would_refuse: number;
};

export type LiveSubject = {
  readonly tenant_id: string;
  readonly subject_hash: string;
  readonly limit: string | null;
  readonly refused: number;
  readonly decision_id: string;
};

/** Of one that is told again, the later telling counts. In order, and no more than are kept. */
export function withSecond(
  seconds: readonly LiveSecond[],
  told: LiveSecond,
  keptMax: number,
): readonly LiveSecond[] {
  const others = seconds.filter(({ at }) => at !== told.at);
  const place = others.findLastIndex(({ at }) => at < told.at) + 1;
  return others.toSpliced(place, 0, told).slice(-keptMax);
}

/** Sums over seconds by what is the same thing; the largest first. */
export function topOf<T extends { readonly refused: number }>(
  seconds: readonly LiveSecond[],
  listOf: (second: LiveSecond) => readonly T[],
  nameOf: (item: T) => string,
  add: (sum: T, item: T) => T,
): readonly T[] {
  const sums = new Map<string, T>();
  for (const item of seconds.flatMap(listOf)) {
    const sum = sums.get(nameOf(item));
    sums.set(nameOf(item), sum ? add(sum, item) : item);
  }
  return [...sums.values()].toSorted((a, b) => b.refused - a.refused);
}
