import type { HitCounts } from './decide/hit-counts.ts';
import type { LocalCacheFigures } from './decide/over-cache.ts';

/** Told of everything that is counted. Implementations bound what they keep. */
export type RlsStats = {
  hit(statKey: readonly string[], counts: HitCounts): void;
  refunded(statKey: readonly string[], hits: number): void;
  domainNotFound(domain: string): void;
  /** A request that was refused or not decided, and whether that was the store's fault. */
  failed(kind: 'redis_error' | 'service_error'): void;
  /** Let through only because nobody is refused. */
  letThrough(): void;
  loaded(isGood: boolean): void;
  /** As of now; never where there is no such cache. */
  localCache(figures: LocalCacheFigures): void;
};
