import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import type { Basis } from 'sluice/core';
import { BoundedNames, otherName } from './bounded-names.ts';
import { outcomes, type Outcome } from './check-event.ts';
import { RlsMetrics, type Tags } from './rls-metrics.ts';
import {
  Counters,
  Gauges,
  Histograms,
  type Exported,
  type Histogram,
  type Tally,
} from './series.ts';

export type MetricsOptions = {
  /** The routes that are told apart; `addRoute` names more. */
  readonly routes?: readonly string[];
  /** Figures of the process: event loop, memory, garbage collection. On by default. */
  readonly process?: boolean;
};

/** What became of a request: decided, or not a question (4xx), or not answered (5xx). */
export type RequestOutcome = Outcome | 'rejected' | 'failed';

/** All of one process' metrics, as numbers that can be sent to another. */
export type MetricsSnapshot = readonly Exported[];

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** In process a decision takes microseconds, on Redis a fraction of a millisecond. */
const decisionBounds = [
  0.000_05, 0.000_1, 0.000_15, 0.000_2, 0.000_3, 0.000_5, 0.000_75, 0.001, 0.001_5, 0.002, 0.003,
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
];
const requestBounds = [
  0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const routesMax = 200;
const namesMax = 100;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Every figure we publish, behind one method for each thing that happens. No label is a tenant, a
 * subject or a path, and every one is bounded whatever callers send.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #routes: BoundedNames;
  readonly #policies = new BoundedNames(namesMax);
  readonly #tiers = new BoundedNames(namesMax);
  readonly #reasons = new BoundedNames(namesMax);
  readonly #operations = new BoundedNames(namesMax);

  readonly #allowed = this.#counters('rl_allowed_total', 'Checks that were allowed.', [
    'route',
    'outcome',
    'algorithm',
  ]);
  readonly #blocked = this.#counters('rl_blocked_total', 'Checks that were refused.', [
    'route',
    'outcome',
    'algorithm',
  ]);
  readonly #requests = this.#counters('requests_total', 'Checks and other requests.', [
    'route',
    'outcome',
  ]);
  readonly #wouldBlock = this.#counters(
    'rl_would_block_total',
    'Refusals that warn and shadow limits would have made.',
    ['mode', 'policy', 'tier'],
  );
  readonly #degraded = this.#counters(
    'rl_degraded_total',
    'Decisions that were not made exactly, and why.',
    ['basis', 'reason'],
  );
  readonly #shed = this.#counters(
    'rl_shed_total',
    'Checks that were refused unasked because the service was overloaded.',
    ['tier'],
  );
  readonly #lookups = this.#counters('rl_cache_lookups_total', 'Look-ups in caches.', [
    'cache',
    'outcome',
  ]);
  readonly #staleRounds = this.#counters(
    'rl_stale_rounds_total',
    'Decisions asked for again because the configuration had changed or was not known.',
    ['kind'],
  );
  readonly #breakerChanges = this.#counters(
    'rl_breaker_changes_total',
    'Times that the store was left alone for a while (open), tried again (ramp) and asked as ever (closed).',
    ['state'],
  );
  readonly #clockSteps = this.#counters(
    'rl_store_clock_steps_total',
    'Times that the clock of a Redis was set by more than 250 ms.',
    ['direction'],
  );
  // There from the start: an alert on growth does not see where a series begins.
  readonly #clockStepped = {
    ahead: this.#clockSteps.with('ahead'),
    back: this.#clockSteps.with('back'),
  };
  readonly #rollbacks = this.#counters(
    'rl_store_rollbacks_total',
    'Times that a Redis had lost what it had confirmed before.',
  ).with();
  readonly #keyFailures = this.#counters(
    'rl_key_failures_total',
    'API keys and admin tokens that were not accepted.',
    ['reason'],
  );
  readonly #unconfirmedKeys = this.#counters(
    'rl_unconfirmed_keys_total',
    'Checks whose key nothing had confirmed for longer than is allowed, by what became of them.',
    ['outcome'],
  );
  readonly #followUps = this.#counters(
    'rl_follow_ups_total',
    'Settlements, releases, heartbeats and refunds, by what became of them.',
    ['verb', 'outcome'],
  );
  readonly #webhookDeliveries = this.#counters(
    'rl_webhook_deliveries_total',
    'Attempts to deliver an event to a webhook, by what became of them.',
    ['outcome'],
  );
  readonly #rolloutUntracked = this.#counters(
    'rl_rollout_untracked_total',
    'Calls of limits in shadow or warn that the rollout had no room to follow.',
    ['what'],
  );
  readonly #eventsDropped = this.#counters(
    'rl_events_dropped_total',
    'Log lines and other reports given up because nobody took them in time.',
  ).with();

  readonly #ledgerLost = this.#counters(
    'rl_ledger_lost_total',
    'Calls that usage does not (fully) count, for the store could not be told of them in time.',
  ).with();

  readonly #debtsLost = this.#counters(
    'rl_debts_lost_total',
    'Counters of limits that fail local whose use, while the store was away, it will not be told of.',
  ).with();

  readonly #receiptsDropped = this.#counters(
    'rl_receipts_dropped_total',
    'Decisions whose receipt was given up: too many at once, or no database for too long.',
  ).with();

  readonly #decisionSeconds = this.#histograms(
    'rl_decision_duration_seconds',
    'From the question to the decision.',
    ['route'],
    decisionBounds,
  );
  readonly #storeSeconds = this.#histograms(
    'rl_store_duration_seconds',
    'Calls of the store that counts.',
    ['operation', 'outcome'],
    decisionBounds,
  );
  readonly #requestSeconds = this.#histograms(
    'http_request_duration_seconds',
    'HTTP requests until their answer was sent.',
    ['method', 'route', 'status'],
    requestBounds,
  );

  readonly #callSeconds = this.#histograms(
    'grpc_call_duration_seconds',
    'gRPC calls until their answer was ready.',
    ['method', 'code'],
    requestBounds,
  );

  readonly #inFlight = new Gauges({
    name: 'rl_checks_in_flight',
    help: 'Checks that are being decided.',
  })
    .registerIn(this.#registry)
    .with();
  readonly #epochsUnpublished = new Gauges({
    name: 'rl_epochs_unpublished',
    help: 'Tenants whose latest change is not published yet.',
    // Every worker sees the same ones.
    aggregator: 'max',
  })
    .registerIn(this.#registry)
    .with();

  readonly #poolsUp = new Gauges({
    name: 'rl_pool_up',
    help: "Whether a pool's Redis takes commands, for pools that this node uses.",
    labels: ['pool'],
    // One worker that can't reach it is reason enough to look.
    aggregator: 'min',
  }).registerIn(this.#registry);

  #rls: RlsMetrics | null = null;
  readonly #byRoute = new Map<string, RouteSeries>();
  readonly #byCache = new Map<string, { readonly hit: Tally; readonly miss: Tally }>();
  readonly #byStoreCall = new Map<string, Map<string, Histogram>>();
  readonly #byCall = new Map<string, Map<string, Histogram>>();
  readonly #byAnswer = new Map<string, Map<string, Map<number, Histogram>>>();

  constructor({ routes = [], process = true }: MetricsOptions = {}) {
    this.#routes = new BoundedNames(routesMax, routes);
    if (process) collectDefaultMetrics({ register: this.#registry });
  }

  /** Figures of the rate limit service: published where there is one. */
  openRls(tags: Tags = {}): RlsMetrics {
    return (this.#rls ??= new RlsMetrics(this.#registry, tags));
  }

  /** Tells a route apart from now on. Those that nobody named are one, `other`. */
  addRoute(route: string): void {
    this.#routes.of(route);
  }

  /** One check was decided. */
  checked(route: string, outcome: Outcome, algorithm: string | null, durationUs: number): void {
    const series = this.#routeSeries(route);
    series.requests[outcome].value++;
    series.decided(outcome, algorithm ?? 'none').value++;
    series.seconds.observe(durationUs / 1_000_000);
  }

  wouldBlock(mode: 'warn' | 'shadow', policy: string | null, tier: string): void {
    this.#wouldBlock.with(mode, this.#policies.of(policy ?? 'none'), this.#tiers.of(tier)).value++;
  }

  degraded(basis: Basis, reason: string | null): void {
    this.#degraded.with(basis, this.#reasons.of(reason ?? 'none')).value++;
  }

  /** A check was refused unasked. What has no decision behind it has no duration either. */
  checkShed(route: string, tier: string, reason: string): void {
    const series = this.#routeSeries(route);
    series.requests.blocked.value++;
    series.decided('blocked', 'none').value++;
    this.degraded('fail_closed', reason);
    this.#shed.with(this.#tiers.of(tier)).value++;
  }

  /** A request ended without a decision. */
  requestEnded(route: string, outcome: Exclude<RequestOutcome, Outcome>): void {
    this.#routeSeries(route).requests[outcome].value++;
  }

  answered(method: string, route: string, status: number, durationUs: number): void {
    const series = this.#answerSeries(method, this.#routes.known(route), status);
    series.observe(durationUs / 1_000_000);
  }

  /** A gRPC call was answered; both names are ours, so few. */
  called(method: string, code: string, durationUs: number): void {
    const byCode = found(this.#byCall, method, () => new Map<string, Histogram>());
    const series = found(byCode, code, () => this.#callSeconds.with(method, code));
    series.observe(durationUs / 1_000_000);
  }

  storeCalled(operation: string, outcome: 'ok' | 'failed', durationUs: number): void {
    const name = this.#operations.of(operation);
    const byOutcome = found(this.#byStoreCall, name, () => new Map<string, Histogram>());
    const series = found(byOutcome, outcome, () => this.#storeSeconds.with(name, outcome));
    series.observe(durationUs / 1_000_000);
  }

  cacheAsked(cache: string, outcome: 'hit' | 'miss'): void {
    const series = this.#byCache.get(cache) ?? this.#cacheSeries(cache);
    series[outcome].value++;
  }

  checkStarted(): void {
    this.#inFlight.value++;
  }

  checkEnded(): void {
    this.#inFlight.value--;
  }

  staleRound(kind: 'stale' | 'unknown'): void {
    this.#staleRounds.with(kind).value++;
  }

  debtsLost(counters: number): void {
    this.#debtsLost.value += counters;
  }

  breakerChanged(state: 'open' | 'ramp' | 'closed'): void {
    this.#breakerChanges.with(state).value++;
  }

  storeClockStepped(direction: 'ahead' | 'back'): void {
    this.#clockStepped[direction].value++;
  }

  storeRolledBack(): void {
    this.#rollbacks.value++;
  }

  keyFailed(reason: string): void {
    this.#keyFailures.with(this.#reasons.of(reason)).value++;
  }

  keyUnconfirmed(outcome: 'accepted' | 'refused'): void {
    this.#unconfirmedKeys.with(outcome).value++;
  }

  eventsDropped(count = 1): void {
    this.#eventsDropped.value += count;
  }

  ledgerLost(calls: number): void {
    this.#ledgerLost.value += calls;
  }

  receiptsDropped(count: number): void {
    this.#receiptsDropped.value += count;
  }

  followedUp(verb: string, outcome: string): void {
    this.#followUps.with(verb, outcome).value++;
  }

  webhookSent(outcome: 'delivered' | 'retried' | 'failed'): void {
    this.#webhookDeliveries.with(outcome).value++;
  }

  rolloutUntracked(what: 'limit' | 'counter' | 'batch'): void {
    this.#rolloutUntracked.with(what).value++;
  }

  setEpochsUnpublished(count: number): void {
    this.#epochsUnpublished.value = count;
  }

  /** Null: this node uses the pool no more. */
  setPoolUp(pool: string, isUp: boolean | null): void {
    if (isUp === null) this.#poolsUp.drop(pool);
    else this.#poolsUp.with(pool).value = isUp ? 1 : 0;
  }

  /** This process' metrics as Prometheus reads them. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** This process' metrics, to be added to those of others. */
  async snapshot(): Promise<MetricsSnapshot> {
    const metrics = await this.#registry.getMetricsAsJSON();
    // A figure without a value yet is no number, which would not survive the way to another process.
    return metrics.map((metric) => ({
      ...metric,
      values: metric.values.filter(({ value }) => Number.isFinite(value)),
    }));
  }

  #cacheSeries(cache: string) {
    return found(this.#byCache, this.#operations.of(cache), (name) => ({
      hit: this.#lookups.with(name, 'hit'),
      miss: this.#lookups.with(name, 'miss'),
    }));
  }

  #routeSeries(route: string): RouteSeries {
    const name = this.#routes.known(route);
    // Asked for with every check: nothing is made where it is known.
    let series = this.#byRoute.get(name);
    if (!series) this.#byRoute.set(name, (series = this.#newRouteSeries(name)));
    return series;
  }

  #newRouteSeries(route: string): RouteSeries {
    const requests = Object.fromEntries(
      [...outcomes, 'rejected', 'failed'].map((outcome) => [
        outcome,
        this.#requests.with(route, outcome),
      ]),
    ) as RouteSeries['requests'];
    const seconds = this.#decisionSeconds.with(route);
    const tallies = new Map<Outcome, Map<string, Tally>>(
      outcomes.map((outcome) => [outcome, new Map<string, Tally>()]),
    );
    const start = (outcome: Outcome, algorithm: string) => {
      const family = outcome === 'blocked' ? this.#blocked : this.#allowed;
      const tally = family.with(route, outcome, algorithm);
      tallies.get(outcome)?.set(algorithm, tally);
      return tally;
    };
    return {
      requests,
      seconds,
      decided: (outcome, algorithm) =>
        tallies.get(outcome)?.get(algorithm) ?? start(outcome, algorithm),
    };
  }

  #answerSeries(method: string, route: string, status: number): Histogram {
    const known = methods.has(method) ? method : otherName;
    const byMethod = found(this.#byAnswer, route, () => new Map<string, Map<number, Histogram>>());
    const byStatus = found(byMethod, known, () => new Map<number, Histogram>());
    const code = Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0;
    return found(byStatus, code, () =>
      this.#requestSeconds.with(known, route, code === 0 ? otherName : String(code)),
    );
  }

  #counters(name: string, help: string, labels: readonly string[] = []): Counters {
    return new Counters({ name, help, labels }).registerIn(this.#registry);
  }

  #histograms(
    name: string,
    help: string,
    labels: readonly string[],
    bounds: readonly number[],
  ): Histograms {
    return new Histograms({ name, help, labels, bounds }).registerIn(this.#registry);
  }
}

type RouteSeries = {
  readonly requests: Readonly<Record<RequestOutcome, Tally>>;
  readonly seconds: Histogram;
  readonly decided: (outcome: Outcome, algorithm: string) => Tally;
};

function found<K, V>(map: Map<K, V>, key: K, create: (key: K) => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create(key)));
  return value;
}

/** The metrics of several processes, added up, as Prometheus reads them. */
export async function aggregate(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return added(snapshots).metrics();
}

/** The same, to be added to yet others. */
export async function merge(snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
  return added(snapshots).getMetricsAsJSON();
}

function added(snapshots: readonly MetricsSnapshot[]) {
  return AggregatorRegistry.aggregate(snapshots.map((snapshot) => [...snapshot]));
}

/** Whether a metric only ever grows, so that what a process counted is true after its end. */
export function isCounted({ type }: MetricsSnapshot[number]): boolean {
  return ['counter', 'histogram'].includes(String(type));
}
