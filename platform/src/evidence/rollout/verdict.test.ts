import { expect, it } from 'vitest';
import { thresholdsDefault, verdictOn } from './verdict.ts';

const nowMs = Date.UTC(2026, 0, 31);
const daysAgo = (days: number) => nowMs - days * 86_400_000;
const seen = (shareOfSubjects: number | null, days: number | null) => ({
  shareOfSubjects,
  seenSinceMs: days === null ? null : daysAgo(days),
  nowMs,
});

it.each([
  ['too_tight', 0.0501, 1],
  ['too_tight', 1, 30],
  ['too_loose', 0.0009, 1],
  ['too_loose', 0, 30],
  ['observe_longer', 0.05, 6.99],
  ['observe_longer', 0.001, 0],
  ['observe_longer', null, null],
  ['observe_longer', null, 30],
  ['ready', 0.05, 7],
  ['ready', 0.001, 30],
] as const)('is %s at %s of subjects after %s days', (verdict, share, days) => {
  expect(verdictOn(seen(share, days), thresholdsDefault).verdict).toBe(verdict);
});

it('says why, in figures that are not rounded to nothing', () => {
  const why = (share: number, days: number) => verdictOn(seen(share, days), thresholdsDefault);
  expect(why(0.0501, 8).reason).toBe(
    'it would refuse 5.01 % of subjects, and above 5 % it is too tight',
  );
  expect(why(0.0000123, 8).reason).toContain('0.00123 %');
  expect(why(0.01, 6.99).reason).toBe('it was seen in this stage for 6.9 days of 7');
});

it('follows other thresholds', () => {
  const thresholds = { tooTightAbove: 0.2, tooLooseBelow: 0, observeDays: 0.5 };
  expect(verdictOn(seen(0.2, 1), thresholds).verdict).toBe('ready');
  expect(verdictOn(seen(0, 1), thresholds).verdict).toBe('ready');
  expect(verdictOn(seen(0.1, 0.4), thresholds).verdict).toBe('observe_longer');
});
