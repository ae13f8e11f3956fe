import type { Registry } from 'prom-client';
import { otherName } from './bounded-names.ts';
import { Counters, Gauges, type Tally } from './series.ts';

/** What a request added to the figures of one rule. */
export type RuleHits = {
  readonly total: number;
  readonly over: number;
  readonly near: number;
  readonly within: number;
  readonly shadow: number;
  readonly overUnasked: number;
};

/** What becomes of looking up who is over in process. */
export type LookUps = {
  readonly lookups: number;
  readonly hits: number;
  readonly expired: number;
  readonly evicted: number;
  readonly entries: number;
};

/** Labels of all these figures, such as where they are counted. */
export type Tags = Readonly<Record<string, string>>;

const rulesMax = 10_000;
const labelLengthMax = 200;
const labels = ['domain', 'key1', 'key2'];

/**
 * The reference service's figures under the names that its Prometheus mapping gives them, so that
 * dashboards go on. Third and deeper levels of a rule are folded away, and what goes beyond the bound
 * is one series.
 */
export class RlsMetrics {
  readonly #registry: Registry;
  readonly #tags: Tags;
  readonly #rules = new Map<string, RuleTallies>();
  readonly #notFound: Counters;
  readonly #errors: Counters;
  readonly #loads: { readonly good: Tally; readonly bad: Tally };
  readonly #letThrough: Tally;
  #localCache: LocalCacheTallies | null = null;
  readonly #families: Readonly<Record<keyof RuleTallies, Counters>>;

  constructor(registry: Registry, tags: Tags) {
    this.#registry = registry;
    this.#tags = tags;
    const ofRule = (name: string, help: string) =>
      this.#counters(`ratelimit_service_rate_limit_${name}`, help, labels);
    this.#families = {
      total: ofRule('total_hits', 'Hits on a rule of the rate limit service.'),
      over: ofRule('over_limit', 'Hits beyond the limit.'),
      near: ofRule('near_limit', 'Hits in the last fifth of the limit.'),
      within: ofRule('within_limit', 'Hits of requests within the limit.'),
      shadow: ofRule('shadow_mode', 'Hits beyond the limit that were let pass in shadow mode.'),
      overUnasked: ofRule(
        'over_limit_with_local_cache',
        'Hits beyond the limit that were refused without asking the store.',
      ),
      refunded: ofRule('refunded_hits', 'Hits that were given back.'),
    };
    this.#notFound = this.#counters(
      'ratelimit_service_rate_limit_domain_not_found',
      'Requests for domains that nobody configured.',
      ['domain'],
    );
    this.#errors = this.#counters(
      'ratelimit_service_should_rate_limit_error',
      'Requests of the rate limit service that were not decided, and why.',
      ['err_type'],
    );
    const load = (outcome: string, help: string) =>
      this.#counters(`ratelimit_service_config_load_${outcome}`, help).with();
    this.#loads = {
      good: load('success', 'Loads of rate limit configuration files.'),
      bad: load('error', 'Loads that were refused; the configuration before them stays.'),
    };
    this.#letThrough = this.#counters(
      'ratelimit_service_global_shadow_mode',
      'Requests that were let pass because nobody is refused.',
    ).with();
  }

  hit(statKey: readonly string[], hits: RuleHits): void {
    const tallies = this.#talliesOf(statKey);
    tallies.total.value += hits.total;
    tallies.over.value += hits.over;
    tallies.near.value += hits.near;
    tallies.within.value += hits.within;
    tallies.shadow.value += hits.shadow;
    tallies.overUnasked.value += hits.overUnasked;
  }

  refunded(statKey: readonly string[], hits: number): void {
    this.#talliesOf(statKey).refunded.value += hits;
  }

  domainNotFound(domain: string): void {
    this.#notFound.with(labelOf(domain)).value++;
  }

  failed(kind: 'redis_error' | 'service_error'): void {
    this.#errors.with(kind).value++;
  }

  letThrough(): void {
    this.#letThrough.value++;
  }

  loaded(isGood: boolean): void {
    this.#loads[isGood ? 'good' : 'bad'].value++;
  }

  localCache({ lookups, hits, expired, evicted, entries }: LookUps): void {
    const figures = (this.#localCache ??= this.#openLocalCache());
    figures.lookupCount.value = lookups;
    figures.hitCount.value = hits;
    figures.missCount.value = lookups - hits;
    figures.expiredCount.value = expired;
    figures.evacuateCount.value = evicted;
    figures.entryCount.value = entries;
  }

  /** Published where there is one. */
  #openLocalCache(): LocalCacheTallies {
    const gauge = (figure: string, help: string) => {
      const constants = this.#tags;
      const name = `ratelimit_localcache_${figure}`;
      return new Gauges({ name, help, constants }).registerIn(this.#registry).with();
    };
    return {
      lookupCount: gauge('lookupCount', 'Look-ups of who is over in process.'),
      hitCount: gauge('hitCount', 'Those that found somebody over.'),
      missCount: gauge('missCount', 'Those that left it to the store.'),
      expiredCount: gauge('expiredCount', 'Those that found a window that had ended.'),
      evacuateCount: gauge('evacuateCount', 'Entries that were dropped for want of room.'),
      entryCount: gauge('entryCount', 'Entries there are.'),
    };
  }

  #talliesOf(statKey: readonly string[]): RuleTallies {
    const key = JSON.stringify(statKey);
    let tallies = this.#rules.get(key);
    if (tallies) return tallies;
    const isFull = this.#rules.size >= rulesMax;
    const values = labels.map((_, at) => (isFull ? otherName : labelOf(statKey[at] ?? '')));
    tallies = Object.fromEntries(
      Object.entries(this.#families).map(([name, family]) => [name, family.with(...values)]),
    ) as RuleTallies;
    if (!isFull) this.#rules.set(key, tallies);
    return tallies;
  }

  #counters(name: string, help: string, names: readonly string[] = []): Counters {
    const constants = this.#tags;
    return new Counters({ name, help, labels: names, constants }).registerIn(this.#registry);
  }
}

type RuleTallies = Readonly<
  Record<'total' | 'over' | 'near' | 'within' | 'shadow' | 'overUnasked' | 'refunded', Tally>
>;

type LocalCacheTallies = Readonly<
  Record<
    'lookupCount' | 'hitCount' | 'missCount' | 'expiredCount' | 'evacuateCount' | 'entryCount',
    Tally
  >
>;

/** As the reference service cleans its names; an address stays one word. */
function labelOf(text: string): string {
  if (text.length > labelLengthMax) return otherName;
  return text
    .replaceAll(/\d{1,3}(?:\.\d{1,3}){3}/g, (address) => address.replaceAll('.', '_'))
    .replaceAll(/[:|]/g, '_');
}
