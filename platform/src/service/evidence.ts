import type { Config } from '../config.ts';
import { Live, LiveCollector } from '../evidence/index.ts';
import { CheckQueue, type CheckSink, type Observer, type Tracing } from '../observe/index.ts';
import type { Feed } from '../snapshot/index.ts';
import type { Foundation } from './foundation.ts';

/** What is kept of checks, beside log and metrics. */
export type Evidence = {
  readonly live: Live;
  /** Who is told of checks; nobody where no evidence is wanted. */
  readonly sinks: readonly CheckSink[];
  stop(): Promise<void>;
};

export function openEvidence(
  { evidence: isWanted }: Config,
  { store }: Foundation,
  {
    observer,
    feed,
  }: { readonly observer: Pick<Observer, 'subjectHash'>; readonly feed: Pick<Feed, 'isHeard'> },
): Evidence {
  const collector = new LiveCollector((tenant, subject) => observer.subjectHash(tenant, subject));
  const live = new Live({
    collector,
    board: store.board,
    stores: () => ({
      database: feed.isHeard ? 'up' : 'down',
      store: store.isThere() ? 'up' : 'down',
    }),
  });
  if (isWanted) live.start();
  return { live, sinks: isWanted ? [collector] : [], stop: () => live.stop() };
}

/** A log line names the span that is active when it is written: then it can't wait. */
export function watchedBy(
  observer: Observer,
  sinks: readonly CheckSink[],
  tracing: Pick<Tracing, 'enabled'>,
): CheckSink {
  if (!tracing.enabled) return new CheckQueue(observer, ...sinks);
  const later = new CheckQueue(...sinks);
  return {
    check(event) {
      observer.check(event);
      later.check(event);
    },
  };
}
