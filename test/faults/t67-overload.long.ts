import { startRedis } from '../servers/redis.ts';
import { countOf, crowd, type Group } from '../platform/overload/crowd.ts';
import { campaign, sized } from './rig/campaign.ts';
import { startService } from './rig/service.ts';

const spanMs = sized({ short: 4000, long: 20_000 });
const times = 3;
/** What each tier asks for of the whole. */
const shares = { enterprise: 0.1, business: 0.1, free: 0.8 } as const;
type Tier = keyof typeof shares;
const tiers = Object.keys(shares) as Tier[];

campaign(
  'T67',
  'A node is asked three times what it can do',
  async (report, cleanUp) => {
    const redis = await startRedis();
    cleanUp(() => redis.stop());
    const { client, url } = await startService(cleanUp, {
      redisUrl: redis.url,
      // As it comes: tests that are about other things refuse nobody for want of time.
      settings: { SLUICE_SHED_DELAY_MS: '50' },
    });
    const keys = new Map<Tier, string>();
    for (const tier of tiers) keys.set(tier, (await client.makeTenant({ tier })).key);
    const groupOf = (tier: Tier, more: Partial<Group>): Group => ({
      name: tier,
      keys: [keys.get(tier) as string],
      connections: 16,
      subjects: 200,
      ...more,
    });

    // As fast as a few ask one after another: what it can do.
    const closed = tiers.map((tier) => groupOf(tier, {}));
    await crowd(url, closed, { ms: 3000 });
    const calm = await crowd(url, closed, { ms: spanMs });
    const peak = (1000 * countOf(calm, '200')) / spanMs;
    const calmP99Ms = Math.max(...calm.map(({ p99Ms }) => p99Ms));

    const offered = tiers.map((tier) =>
      groupOf(tier, { connections: 400, perSecond: Math.round(times * peak * shares[tier]) }),
    );
    // It takes a moment to notice.
    await crowd(url, offered, { ms: 5000 });
    const busy = await crowd(url, offered, { ms: spanMs });
    const served = (1000 * countOf(busy, '200')) / spanMs;
    const shed = (tier: Tier) =>
      countOf(
        busy.filter(({ name }) => name === tier),
        '429 overload',
      );
    const enterprise = busy.filter(({ name }) => name === 'enterprise');
    const answered = countOf(enterprise, '200', '429 overload');
    const allShed = tiers.reduce((sum, tier) => sum + shed(tier), 0);
    report.exactly('answers that are neither 200 nor refused', strange(busy), 0);
    report.aim('goodput missing of the peak, %', 100 * (1 - served / peak), 20);
    const p99Ms = Math.max(...enterprise.map((one) => one.p99Ms));
    report.aim('p99 of the highest tier, times as at the peak', p99Ms / calmP99Ms, 2);
    report.aim('highest tier refused, %', (100 * shed('enterprise')) / answered, 1);
    report.aim(
      'shed that were not of the lowest tier, %',
      share(allShed - shed('free'), allShed),
      5,
    );
    const unsent = busy.reduce((sum, one) => sum + one.unsent, 0);
    report.note(
      `peak ${peak.toFixed(0)}/s, then ${served.toFixed(0)}/s let in, ${allShed} shed, ${unsent} not sent for want of connections; p99 ${calmP99Ms.toFixed(0)} and ${p99Ms.toFixed(0)} ms`,
    );
  },
  { takesMs: 4 * spanMs },
);

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function strange(reports: Awaited<ReturnType<typeof crowd>>): number {
  let count = 0;
  for (const { answers } of reports) {
    for (const [kind, seen] of Object.entries(answers)) {
      if (kind !== '200' && !kind.startsWith('429 ')) count += seen;
    }
  }
  return count;
}
