import type uPlot from 'uplot';

/** One thing that is counted over time. */
export type Band = {
  readonly id: string;
  readonly label: string;
  /** A custom property, such as `--good-fill`. */
  readonly color: `--${string}`;
  /** Areas stand upon each other; a line is by itself. */
  readonly kind: 'area' | 'line';
  readonly values: readonly number[];
};

/** What is drawn later hides what was drawn before: the whole stack first, its lowest part last. */
export function drawingOrder<Part extends Pick<Band, 'kind'>>(bands: readonly Part[]): Part[] {
  const areas = bands.filter(({ kind }) => kind === 'area');
  return [...areas.toReversed(), ...bands.filter(({ kind }) => kind === 'line')];
}

/** As it is drawn: areas with all that is below them. */
export function alignedData(seconds: readonly number[], bands: readonly Band[]): uPlot.AlignedData {
  const sums = new Map<string, number[]>();
  let below: readonly number[] = seconds.map(() => 0);
  for (const { id, kind, values } of bands) {
    const tops = values.map((value, at) => value + (kind === 'area' ? (below[at] ?? 0) : 0));
    if (kind === 'area') below = tops;
    sums.set(id, tops);
  }
  return [[...seconds], ...drawingOrder(bands).map(({ id }) => sums.get(id) ?? [])];
}
