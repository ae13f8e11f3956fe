/** After a refusal the subject is out for a while, longer on repetition. */
export type PenaltyNumbers = {
  readonly blockUs: number;
  /** Each repetition multiplies the length by this many thousandths. */
  readonly growthThousandths: number;
  readonly blockMaxUs: number;
};

export type PenaltyState = { readonly untilUs: number; readonly lengthUs: number };

/** Ends at this instant; 0 when there is none. */
export function blockedUntilUs(state: PenaltyState | undefined, nowUs: number): number {
  return state !== undefined && state.untilUs > nowUs ? state.untilUs : 0;
}

/** A clean time as long as the last penalty wipes the slate. */
export function forgetAtUs(state: PenaltyState): number {
  return state.untilUs + state.lengthUs;
}

export function strike(
  numbers: PenaltyNumbers,
  state: PenaltyState | undefined,
  nowUs: number,
): PenaltyState {
  const repeated = state !== undefined && nowUs < forgetAtUs(state);
  const grown = repeated
    ? Math.floor((state.lengthUs * numbers.growthThousandths) / 1000)
    : numbers.blockUs;
  const lengthUs = Math.min(Math.max(grown, numbers.blockUs), numbers.blockMaxUs);
  return { untilUs: nowUs + lengthUs, lengthUs };
}
