import { outcomes, type Outcome } from '../../observe/index.ts';
import { Latencies } from './latencies.ts';

/** What one node saw in one second, as it is told to the others. */
export type Figures = {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly latencies: readonly number[];
  readonly limits: readonly LimitFigures[];
  readonly subjects: readonly SubjectFigures[];
  readonly factor: number;
  readonly stores: Stores;
};

export type Stores = { readonly database: StoreState; readonly store: StoreState };
export type StoreState = 'up' | 'down';

/** Of the limits that refused most. */
export type LimitFigures = {
  readonly tenant_id: string;
  readonly limit: string;
  readonly refused: number;
  readonly would_refuse: number;
};

/** Of the subjects that were refused most. */
export type SubjectFigures = {
  readonly tenant_id: string;
  /** As in the log. The receipt of the decision, for who may read it, says who it is. */
  readonly subject_hash: string;
  readonly limit: string | null;
  readonly refused: number;
  readonly decision_id: string;
};

export const topMax = 10;

/** One second of all nodes, as listeners get it. */
export type LiveSecond = {
  readonly at: number;
  readonly nodes: number;
  readonly decisions: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly latency_ms: { readonly p50: number | null; readonly p99: number | null };
  readonly top_limits: readonly LimitFigures[];
  readonly top_subjects: readonly SubjectFigures[];
  readonly stores: Stores;
  readonly factor: number;
};

export function mergeFigures(at: number, nodes: readonly Figures[]): LiveSecond {
  const latencies = new Latencies();
  for (const node of nodes) latencies.merge(node.latencies);
  const counted = Object.fromEntries(
    outcomes.map((outcome) => [outcome, sumOf(nodes, (node) => node.outcomes[outcome])]),
  ) as Record<Outcome, number>;
  return {
    at,
    nodes: nodes.length,
    decisions: Object.values(counted).reduce((sum, count) => sum + count, 0),
    outcomes: counted,
    latency_ms: { p50: latencies.quantileMs(0.5), p99: latencies.quantileMs(0.99) },
    top_limits: mergeTop(
      nodes.flatMap(({ limits }) => limits),
      ({ tenant_id, limit }) => `${tenant_id} ${limit}`,
      (one, other) => ({
        ...one,
        refused: one.refused + other.refused,
        would_refuse: one.would_refuse + other.would_refuse,
      }),
      ({ refused, would_refuse: wouldRefuse }) => refused + wouldRefuse,
    ),
    top_subjects: mergeTop(
      nodes.flatMap(({ subjects }) => subjects),
      ({ tenant_id, subject_hash }) => `${tenant_id} ${subject_hash}`,
      (one, other) => ({ ...one, refused: one.refused + other.refused }),
      ({ refused }) => refused,
    ),
    stores: {
      database: nodes.some(({ stores }) => stores.database === 'down') ? 'down' : 'up',
      store: nodes.some(({ stores }) => stores.store === 'down') ? 'down' : 'up',
    },
    factor: Math.min(1, ...nodes.map(({ factor }) => factor)),
  };
}

function sumOf(nodes: readonly Figures[], count: (node: Figures) => number): number {
  return nodes.reduce((sum, node) => sum + count(node), 0);
}

function mergeTop<T>(
  all: readonly T[],
  nameOf: (one: T) => string,
  add: (one: T, other: T) => T,
  weightOf: (one: T) => number,
): T[] {
  const merged = new Map<string, T>();
  for (const one of all) {
    const known = merged.get(nameOf(one));
    merged.set(nameOf(one), known === undefined ? one : add(known, one));
  }
  return [...merged.values()].toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, topMax);
}
