export const verdicts = ['too_tight', 'too_loose', 'observe_longer', 'ready'] as const;

export type Thresholds = {
  /** Shares of subjects, from 0 to 1. */
  readonly tooTightAbove: number;
  readonly tooLooseBelow: number;
  readonly observeDays: number;
};

export const thresholdsDefault: Thresholds = {
  tooTightAbove: 0.05,
  tooLooseBelow: 0.001,
  observeDays: 7,
};

export type Verdict = {
  readonly verdict: (typeof verdicts)[number];
  /** In plain words. */
  readonly reason: string;
};

export type Evidence = {
  readonly shareOfSubjects: number | null;
  /** Since when it was seen in this stage; null when it never was. */
  readonly seenSinceMs: number | null;
  readonly nowMs: number;
};

const dayMs = 86_400_000;

/** Whether a limit can go a stage further. The first of these that is true. */
export function verdictOn(
  { shareOfSubjects: share, seenSinceMs, nowMs }: Evidence,
  { tooTightAbove, tooLooseBelow, observeDays }: Thresholds,
): Verdict {
  if (share === null || seenSinceMs === null) {
    return { verdict: 'observe_longer', reason: 'no call was seen in this stage yet' };
  }
  if (share > tooTightAbove) {
    const reason = `it would refuse ${percent(share)} of subjects, and above ${percent(tooTightAbove)} it is too tight`;
    return { verdict: 'too_tight', reason };
  }
  if (share < tooLooseBelow) {
    const reason = `it would refuse ${percent(share)} of subjects, and under ${percent(tooLooseBelow)} it protects from nobody`;
    return { verdict: 'too_loose', reason };
  }
  const days = (nowMs - seenSinceMs) / dayMs;
  if (days < observeDays) {
    const reason = `it was seen in this stage for ${rounded(days)} days of ${rounded(observeDays)}`;
    return { verdict: 'observe_longer', reason };
  }
  const reason = `it would refuse ${percent(share)} of subjects, seen for ${rounded(days)} days`;
  return { verdict: 'ready', reason };
}

/** To three figures, so that a small share is not shown as none. */
function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

function rounded(days: number): string {
  return String(Math.floor(days * 10) / 10);
}
