import type { Config } from '../config.ts';
import {
  RolloutCollector,
  RolloutEraser,
  RolloutOldRows,
  RolloutWriter,
  SubjectNames,
  type Eraser,
} from '../evidence/index.ts';
import type { CheckSink } from '../observe/index.ts';
import type { Foundation } from './foundation.ts';

/** What a node does to know how limits in shadow and warn would do. */
export type RolloutWatch = {
  readonly collector: CheckSink;
  readonly eraser: Eraser;
  flush(): Promise<void>;
  removeOld(): Promise<unknown>;
};

export function watchRollout(
  { database: { db }, log, metrics, secrets }: Foundation,
  { subjectDays }: Pick<Config, 'subjectDays'>,
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
    collector,
    eraser: new RolloutEraser({ db, writer, names }),
    flush: () => writer.flush(),
    removeOld: () => oldRows.removeOld(),
  };
}
