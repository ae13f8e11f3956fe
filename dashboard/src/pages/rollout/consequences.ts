import { count } from '../../ui/words.ts';
import { percent, type Report, type Stage } from './report.ts';

const following: Readonly<Record<Stage, Stage>> = {
  off: 'shadow',
  shadow: 'warn',
  warn: 'enforce',
  enforce: 'enforce',
};

export function nextOf(stage: Stage | null): Stage {
  return following[stage ?? 'off'];
}

/** What a promotion will do to whom, by what was seen. */
export function consequence(report: Report, enforces: boolean, isLater: boolean): string {
  if (enforces) {
    const seen =
      report.subjects === 0
        ? 'Nothing was seen that says whom that hits.'
        : `By what was seen that hits ${count(report.refused_subjects)} of ${count(report.subjects)} subjects (${percent(report.share_of_subjects)}) and ${percent(report.share_of_calls)} of calls.`;
    const when = isLater ? 'From that time on' : 'From the next check on';
    return `${when}, calls above ${count(report.number)} are refused with status 429. ${seen}`;
  }
  return nextOf(report.stage) === 'warn'
    ? 'From the next check on, callers above it are told so in a header, and still let in. Nobody is refused.'
    : 'From the next check on it counts. Nobody is told, and nobody is refused.';
}

/** What stepping back will do. */
export function relief({ stage, enforce_from: from }: Report): string {
  if (from !== null) return `The date is taken away: it stays in ${stage}, and refuses nobody.`;
  return stage === 'enforce'
    ? 'From the next check on nobody is refused by it any more. Callers above it are told so in a header.'
    : 'From the next check on callers are not told of it any more. It goes on counting.';
}
