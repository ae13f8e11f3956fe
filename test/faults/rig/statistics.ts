/** The value that this share of all is not above; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function p99(values: readonly number[]): number {
  return percentile(values, 0.99);
}

/** Welch's t: how many standard errors two means lie apart. */
export function welchT(one: Moments, other: Moments): number {
  return (
    (one.mean - other.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count)
  );
}

/** Mean and variance of numbers that are told one by one (Welford). */
export class Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    this.count += 1;
    const off = value - this.mean;
    this.mean += off / this.count;
    this.#squares += off * (value - this.mean);
  }

  get variance(): number {
    return this.#squares / (this.count - 1);
  }
}
