import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import { otherName } from './bounded-names.ts';

/** One number that is counted up, or set. */
export type Tally = { value: number };

type Description = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Labels that all series have alike. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
  /** How workers' numbers become one. */
  readonly aggregator?: 'sum' | 'max' | 'min';
};

/** A metric with all its series, as prom-client spells it. */
export type Exported = Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>;

/** Beyond so many label sets of one metric, all others are one. */
const seriesMax = 2_000;

/**
 * All series of one metric. prom-client spells a bound child's labels anew on every count, which
 * takes twenty times as long as the count: here a series is an object that is found once and counted
 * on directly, and prom-client is told when somebody asks.
 */
abstract class Family<Series> {
  readonly name: string;
  readonly help: string;
  readonly aggregator: string;
  protected abstract readonly type: 'counter' | 'gauge' | 'histogram';
  readonly #labels: readonly string[];
  readonly #constants: Readonly<Record<string, string>>;
  readonly #series = new Map<string, { labels: Record<string, string>; series: Series }>();

  constructor({ name, help, labels = [], constants = {}, aggregator = 'sum' }: Description) {
    this.name = name;
    this.help = help;
    this.aggregator = aggregator;
    this.#labels = labels;
    this.#constants = constants;
  }

  protected abstract create(): Series;
  protected abstract valuesOf(
    series: Series,
    labels: Record<string, string>,
  ): MetricValue<string>[];

  /** The series with these values of the labels, in their order. Slow: keep what it returns. */
  with(...values: readonly string[]): Series {
    const key = JSON.stringify(values);
    const known = this.#series.get(key);
    if (known) return known.series;
    const isFull = this.#series.size >= seriesMax && values.some((value) => value !== otherName);
    if (isFull) return this.with(...values.map(() => otherName));
    const own = this.#labels.map((label, at) => [label, values[at] ?? '']);
    const labels = { ...this.#constants, ...Object.fromEntries(own) };
    const series = this.create();
    this.#series.set(key, { labels, series });
    return series;
  }

  /** What it is about is gone. */
  drop(...values: readonly string[]): void {
    this.#series.delete(JSON.stringify(values));
  }

  /** What prom-client asks a metric for. */
  async get(): Promise<Exported> {
    const values = [...this.#series.values()].flatMap(({ series, labels }) =>
      this.valuesOf(series, labels),
    );
    const { name, help, aggregator } = this;
    // Its declaration lists the types as numbers; what it reads and writes are words.
    const type = this.type as unknown as Exported['type'];
    return { name, help, type, aggregator: aggregator as Exported['aggregator'], values };
  }

  registerIn(registry: Registry): this {
    // It renders whatever has a name and `get`, though its types know its own classes only.
    registry.registerMetric(this as unknown as Metric);
    return this;
  }
}

export class Counters extends Family<Tally> {
  protected readonly type = 'counter';
  protected create = (): Tally => ({ value: 0 });
  protected valuesOf = ({ value }: Tally, labels: Record<string, string>) => [{ value, labels }];
}

export class Gauges extends Family<Tally> {
  protected readonly type = 'gauge';
  protected create = (): Tally => ({ value: 0 });
  protected valuesOf = ({ value }: Tally, labels: Record<string, string>) => [{ value, labels }];
}

export class Histograms extends Family<Histogram> {
  protected readonly type = 'histogram';
  readonly #bounds: readonly number[];

  constructor({ bounds, ...description }: Description & { readonly bounds: readonly number[] }) {
    super(description);
    this.#bounds = bounds;
  }

  protected create = (): Histogram => new Histogram(this.#bounds);

  protected valuesOf = (histogram: Histogram, labels: Record<string, string>) => {
    const bucket = (le: number | string, value: number) => ({
      metricName: `${this.name}_bucket`,
      labels: { le, ...labels },
      value,
    });
    const { sum, count } = histogram;
    return [
      ...histogram.cumulative().map((value, at) => bucket(this.#bounds[at] ?? '+Inf', value)),
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  };
}

/** How often a number fell up to each bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) return;
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    (this.#counts[at] as number)++;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  cumulative(): number[] {
    let total = 0;
    return this.#counts.map((count) => (total += count));
  }
}
