import { expect, test } from 'vitest';
import { Report } from './report.ts';

export { isLong, sized } from './size.ts';

const patienceMs = 120_000;

/** Undoes what a campaign set up, the last first, whatever became of it. */
export type CleanUp = (undo: () => unknown) => void;

/**
 * One test of the reliability table: does its worst, and tells each figure beside its target. It
 * fails when a figure of correctness is missed.
 */
export function campaign(
  id: `T${number}`,
  name: string,
  run: (report: Report, cleanUp: CleanUp) => Promise<void>,
  /** How long it takes at most, besides setting up. */
  { takesMs = 0 }: { readonly takesMs?: number } = {},
): void {
  test(`${id} ${name}`, { timeout: patienceMs + takesMs }, async () => {
    const report = new Report(id, name);
    const undoing: (() => unknown)[] = [];
    try {
      await run(report, (undo) => undoing.push(undo));
    } finally {
      for (const undo of undoing.toReversed()) await undo();
    }
    report.publish();
    expect(report.broken).toEqual([]);
  });
}
