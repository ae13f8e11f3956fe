import { Deadline } from 'sluice';
import { ApiKeys } from '../control/api-keys/api-keys.ts';
import { Audit } from '../control/audit/audit.ts';
import { Blocks } from '../control/blocks/blocks.ts';
import { Changes, type Touched } from '../control/change.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { Modes } from '../control/modes/modes.ts';
import { Overrides } from '../control/overrides/overrides.ts';
import { Plans } from '../control/plans/plans.ts';
import { Policies } from '../control/policies/policies.ts';
import { Pools } from '../control/pools/pools.ts';
import { Publications } from '../control/publications/publications.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { Quotas } from '../control/quotas/quotas.ts';
import { Tenants } from '../control/tenants/tenants.ts';
import { Tokens } from '../control/tokens/tokens.ts';
import type { Freshness } from '../control/usage/freshness.ts';
import { UsageReports } from '../control/usage/usage-reports.ts';
import { Webhooks } from '../control/webhooks/webhooks.ts';
import {
  Counters,
  Explainer,
  standingLimits,
  standingsOf,
  type CountersParts,
} from '../decide/index.ts';
import { Erasure, Promotions, Rollout } from '../evidence/index.ts';
import { subjectHashUnder } from '../observe/index.ts';
import type { Control } from '../doors/http/admin/index.ts';
import { Seal } from '../snapshot/index.ts';
import { faultsOfRedis, poolAddresses } from '../store/index.ts';
import type { Evidence } from './evidence.ts';
import type { Foundation } from './foundation.ts';
import type { HotPath } from './hot-path.ts';

/** Of many at once, those that are asked for are read when they are. */
const reloadedMax = 20;
const copyingMsMax = 1000;

export function openControl(
  { database: { db }, store, secrets }: Foundation,
  {
    publisher,
    freshness,
    onShared,
    onMoved,
    hotPath: { snapshots, keys },
    evidence: { receipts, erasers },
    adminToken,
    webhookPrivate,
    redisUnsafe,
    subjectDays,
  }: {
    readonly publisher: Publisher;
    readonly freshness: Freshness;
    readonly onShared: () => void;
    readonly onMoved: () => void;
    readonly hotPath: Pick<HotPath, 'snapshots' | 'keys'>;
    readonly evidence: Pick<Evidence, 'receipts' | 'erasers'>;
    readonly adminToken: string;
    readonly webhookPrivate: boolean;
    /** Counts even where that is not safe. */
    readonly redisUnsafe: boolean;
    readonly subjectDays: number;
  },
): Control {
  // What is old is found out by its epoch in any case; what is new, only here while there is a database.
  const copying = new Deadline(copyingMsMax);
  const onTouched = async ({ tenantIds, keyIds }: Touched) => {
    const reading = [
      ...tenantIds.slice(0, reloadedMax).map((id) => snapshots.reload(id)),
      ...keyIds.map((id) => keys.refresh(id)),
    ];
    await copying.run(Promise.allSettled(reading)).catch(() => {});
  };
  const subjectHash = subjectHashUnder(secrets.subject);
  const changes = new Changes({
    db,
    publisher,
    hashName: subjectHash,
    onShared,
    onTouched,
    onMoved,
  });
  const common = { db, changes };
  const usage = new QuotaUsage(db);
  const forget: CountersParts['forget'] = ({ ref }, counters) => usage.forget(ref, counters);
  const modes = new Modes(common);
  const rollout = new Rollout({ db, standing: standingLimits(snapshots), subjectDays });
  return {
    tenants: new Tenants(common),
    plans: new Plans(common),
    policies: new Policies(common),
    pools: new Pools({
      ...common,
      addresses: poolAddresses,
      seal: new Seal(secrets.pool),
      hasRedis: store.kind === 'redis',
      faultsOf: redisUnsafe ? async () => [] : faultsOfRedis,
    }),
    overrides: new Overrides(common),
    blocks: new Blocks(common),
    modes,
    keys: new ApiKeys({ ...common, markSecret: secrets.mark }),
    tokens: new Tokens({ ...common, markSecret: secrets.mark, bootstrap: adminToken }),
    audit: new Audit({ db }),
    publications: new Publications({ db }),
    counters: { counters: new Counters({ snapshots, engine: store.engine, forget }), changes },
    decisions: { receipts, erasure: new Erasure({ changes, erasers, subjectHash }) },
    rollout: { rollout, promotions: new Promotions({ rollout, modes }) },
    explainer: new Explainer(snapshots),
    quotas: new Quotas({ ...common, readStanding: standingsOf(store.engine) }),
    usage: new UsageReports({ db, freshness }),
    webhooks: new Webhooks({
      ...common,
      webhookSecret: secrets.webhook,
      allowPrivate: webhookPrivate,
    }),
  };
}
