import { LocalShares } from 'sluice';
import type { Config } from '../config.ts';
import { QuotaEvents } from '../control/quotas/quota-events.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { isUnavailable } from '../database/index.ts';
import {
  AddressFailures,
  Decider,
  Identifier,
  QuotaKeeper,
  Recorder,
  UnconfirmedKeys,
} from '../decide/index.ts';
import {
  Confirmations,
  Feed,
  KeyRing,
  Snapshots,
  SourceCache,
  SourceReader,
  StoreTime,
  Trusts,
} from '../snapshot/index.ts';
import { FleetWatch } from './fleet.ts';
import type { Foundation } from './foundation.ts';
import type { Moving } from './moves.ts';
import { openRateLimits, type RateLimits, type RateLimitsConfig } from './rate-limits.ts';

/** What answers checks, and what keeps it from answering out of date. */
export type HotPath = {
  readonly decider: Decider;
  readonly fleet: FleetWatch;
  readonly local: LocalShares;
  readonly recorder: Recorder;
  readonly keeper: QuotaKeeper;
  readonly failures: readonly AddressFailures[];
  readonly snapshots: Snapshots;
  readonly keys: KeyRing;
  readonly feed: Feed;
  /** Null where no gateway is to ask. */
  readonly rls: RateLimits | null;
};

const tenantsMax = 250_000;
const keysMax = 750_000;
/** Looking into the cache must be quicker than asking the database. */
const cacheWaitMs = 50;
/** After the store was away: how long checks wait for the database at most. */
const trustWaitMs = 1000;

type HotPathSettings = Pick<Config, 'evidence' | 'unconfirmedKeys' | 'unconfirmedKeysSeconds'>;

export async function openHotPath(
  foundation: Foundation,
  config: HotPathSettings & RateLimitsConfig & Pick<Moving, 'moves'>,
): Promise<HotPath> {
  const { moves } = config;
  const { database, store, metrics, secrets } = foundation;
  const reader = new SourceReader(database.db);
  const { shelf } = store;
  const cache =
    shelf &&
    new SourceCache({
      client: shelf,
      prefix: 'sl1',
      secret: secrets.cache,
      life: () => shelf.life(),
      waitMs: cacheWaitMs,
    });
  const watch = (name: string, outcome: 'hit' | 'miss') => metrics.cacheAsked(name, outcome);
  const time = new StoreTime();
  const snapshots = new Snapshots({ reader, cache, watch, tenantsMax, time });
  const keys = new KeyRing({ reader, cache, watch, keysMax });
  let imported = await reader.importedKeyIds();
  let poolsEpoch = 0;
  const confirmations = new Confirmations();
  const unconfirmed = openUnconfirmedKeys(foundation, confirmations, config);
  const feed = new Feed(database.db, async ({ askedAtMs, sharedEpoch, tenants }) => {
    // Before snapshots name them.
    if (sharedEpoch > poolsEpoch) await store.refreshPools();
    poolsEpoch = sharedEpoch;
    if (tenants.length > 0) imported = await reader.importedKeyIds();
    for (const { id, epoch } of tenants) snapshots.drop(id, epoch);
    keys.letGo((snapshot) => snapshots.isOld(snapshot));
    await snapshots.raiseShared(sharedEpoch);
    confirmations.heard(askedAtMs);
    unconfirmed.databaseHeard();
  });
  const trust = new Trusts({
    ask: () => feed.poll(),
    isThere: (place) => store.isThere(place),
    waitMs: trustWaitMs,
  });
  store.onLost((place) => {
    trust.storeLeft(place);
    confirmations.doubt(place);
  });
  const strangers = new AddressFailures();
  const lookUps = new AddressFailures();
  const fleet = new FleetWatch(store.board);
  const local = new LocalShares({
    engine: store.engine,
    fleet: () => fleet.fleet,
    onLost: (counters) => metrics.debtsLost(counters),
  });
  const recorder = new Recorder({
    engine: store.engine,
    onLost: (calls) => metrics.ledgerLost(calls),
  });
  const keeper = new QuotaKeeper({
    engine: store.engine,
    usage: new QuotaUsage(database.db),
    events: new QuotaEvents(database.db),
    carry: (tenantId) => moves.carry(tenantId),
  });
  const identifier = new Identifier({
    keys,
    snapshots,
    strangers,
    lookUps,
    markSecret: secrets.mark,
    isImported: (id) => imported.has(id),
    isUnavailable,
    onFailure: (reason) => metrics.keyFailed(reason),
  });
  const deciding = {
    snapshots,
    trust,
    engine: store.decider,
    local,
    recorder,
    quotas: keeper,
    unconfirmed,
    counts: config.evidence,
    time,
    isUnavailable,
    onRound: (kind: 'stale' | 'unknown') => metrics.staleRound(kind),
  };
  const decider = new Decider({ ...deciding, identifier });
  await feed.poll();
  const rls = await openRateLimits(foundation, config, deciding);
  return {
    decider,
    fleet,
    local,
    recorder,
    keeper,
    failures: [strangers, lookUps],
    snapshots,
    keys,
    feed,
    rls,
  };
}

function openUnconfirmedKeys(
  { metrics, log: { logger } }: Foundation,
  confirmations: Confirmations,
  { unconfirmedKeys: policy, unconfirmedKeysSeconds: seconds }: HotPathSettings,
): UnconfirmedKeys {
  return new UnconfirmedKeys({
    confirmations,
    policy,
    maxAgeMs: seconds * 1000,
    onCheck: (outcome) => metrics.keyUnconfirmed(outcome),
    onBegin: () => logger.warn({ event: 'keys.unconfirmed', policy, seconds }),
    onEnd: (checks) => logger.warn({ event: 'keys.confirmed', checks }),
  });
}
