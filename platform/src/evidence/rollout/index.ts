/**
 * Limits on their way from shadow to warn to enforce: whom they would have refused, how large they
 * would have to be, and whether they are ready. The collector is told of checks when they are
 * answered, the writer adds up in the database, the rest reads it. Subjects are kept as they are, for
 * a while, and can be erased; nothing here is on the path of a check.
 */
export { RolloutCollector, type CollectorBounds } from './collector.ts';
export { RolloutEraser } from './erasures.ts';
export { steps, type Figures, type Point, type TopSubject } from './figures.ts';
export { RolloutOldRows } from './old-rows.ts';
export {
  Promotions,
  type PromoteInput,
  type Step as RolloutStep,
  type StepBackInput,
} from './promotions.ts';
export { definerKinds, knownHow, type Report } from './report.ts';
export { Rollout, type RolloutQuery } from './rollout.ts';
export { stages } from './stage.ts';
export { SubjectNames } from './subject-names.ts';
export { thresholdsDefault, verdicts } from './verdict.ts';
export { RolloutWriter } from './writer.ts';
