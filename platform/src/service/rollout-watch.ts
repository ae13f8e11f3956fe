import type { Config } from '../config.ts';
import {
  RolloutCollector,
  RolloutEraser,
  RolloutOldRows,
  RolloutWriter,
  SubjectNames,
  type Eraser,
} from '../evidence/rollout/index.ts';
import type { CheckSink } from '../observe/index.ts';
import type { Foundation } from './foundation.ts';

/** What a node does to know how limits in shadow and warn would do. */
export type RolloutWatch = {
  /** Who wants to be told of checks; nobody where evidence is off. */
  readonly sinks: readonly CheckSink[];
  readonly eraser: Eraser;
  flush(): Promise<void>;
  removeOld(): Promise<unknown>;
};

export function watchRollout(
  { database: { db }, log, metrics, secrets }: Foundation,
  { evidence, subjectDays }: Pick<Config, 'evidence' | 'subjectDays'>,
): RolloutWatch {
  const names = new SubjectNames(secrets.subject);
  const collector = new RolloutCollector({
    names,
    onUntracked: (what) => metrics.rolloutUntracked(what),
  });
  const writer = new RolloutWriter({
    db,
    source: collector,
    names,
    onLost: (error) => {
      metrics.rolloutUntracked('batch');
      log.logger.error({ event: 'rollout.lost', err: error });
    },
  });
  const oldRows = new RolloutOldRows(db, { subjectDays });
  return {
    sinks: evidence ? [collector] : [],
    eraser: new RolloutEraser({ db, writer, names }),
    flush: () => writer.flush(),
    removeOld: () => oldRows.removeOld(),
  };
}
