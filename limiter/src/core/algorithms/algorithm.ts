/**
 * What every algorithm is: arithmetic on (numbers, state, amount, now), with no store, no clock
 * and no I/O. The Lua files in `engines/redis/lua/lib` are twins of these, function by function.
 *
 * `Reading` is what a decision shows of a state: the few numbers that the Redis script returns and
 * the memory engine reads. Everything shown is computed from it in `show`, once for all engines.
 */
export type Algorithm<Numbers, State, Reading> = {
  /** What one call can take at the most; a larger cost never fits. */
  sizeOf(numbers: Numbers): number;
  /** What a stored state means now; a missing or outlived one is fresh. Grants nothing early. */
  load(numbers: Numbers, stored: State | undefined, nowUs: number): State;
  admits(numbers: Numbers, state: State, amount: number, nowUs: number): boolean;
  /** For a store that keeps the numbers of all counters in one list; without it, objects. */
  readonly flat?: Flat<State>;
  /** Takes the amount whether or not it fits; the caller asked `admits` first, or means debt. */
  charge(numbers: Numbers, state: State, amount: number, nowUs: number): State;
  /** Gives back at most the amount charged at `chargedAtUs`, and never more than is safe. */
  refund(numbers: Numbers, state: State, refund: Refund): State;
  /** When the state has become equal to a fresh one. */
  expiresAtUs(numbers: Numbers, state: State): number;
  /** How long a charge counts at the most; null when that is up to the window it falls in. */
  recoveryUs(numbers: Numbers): number | null;
  read(numbers: Numbers, state: State, amount: number, nowUs: number): Reading;
  show(numbers: Numbers, reading: Reading, amount: number, nowUs: number): Shown;
};

/** A state as a few numbers, of which the first is never NaN. */
export type Flat<State> = {
  read(kept: Float64Array, at: number): State;
  write(kept: Float64Array, at: number, state: State): void;
};

/** No state has more. */
export const flatNumbersMax = 4;

export type Refund = {
  readonly amount: number;
  readonly chargedAtUs: number;
  readonly nowUs: number;
};

export type Shown = {
  readonly used: number;
  readonly remaining: number;
  /** When the full allowance is back if nobody calls. */
  readonly resetAtUs: number;
  /** The first instant at which the amount fits if nobody calls; only asked for what is possible. */
  readonly fitsAtUs: number;
};
