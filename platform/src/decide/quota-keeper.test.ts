import { afterEach, describe, expect, it } from 'vitest';
import { MemoryEngine } from 'sluice';
import {
  bind,
  CheckQuestion,
  Decision,
  parseLimit,
  type BoundLimit,
  type Decided,
  type Limit,
  type ParsedCheck,
  type TenantRef,
} from 'sluice/core';
import type { QuotaNotice } from '../control/quotas/quota-events.ts';
import type { SavedUsage, SeenUsage } from '../control/quotas/quota-usage.ts';
import { QuotaLimits } from '../snapshot/quota-limits.ts';
import { QuotaKeeper } from './quota-keeper.ts';

const tenant: TenantRef = { id: 'tenant-1', generation: 2 };
const startMs = Date.UTC(2026, 10, 16);
const dayMs = 86_400_000;

/** A keeper beside a real engine, with what it wrote. */
class Rig {
  nowUs = startMs * 1000 + 5000;
  readonly engine = new MemoryEngine({ clock: () => this.nowUs });
  readonly saved: SeenUsage[][] = [];
  readonly raised: QuotaNotice[][] = [];
  readonly seeded: SavedUsage[][] = [];
  stored: SavedUsage[] = [];
  failure: Error | null = null;
  readonly keeper: QuotaKeeper;

  constructor(countersMax?: number) {
    const failing = async () => {
      if (this.failure) throw this.failure;
    };
    this.keeper = new QuotaKeeper({
      carry: async () => {},
      engine: {
        counterName: ({ limit, parts }: BoundLimit) => `${limit.counterId} ${parts.join('|')}`,
        seed: async (_tenant, seeds) => void this.seeded.push([...seeds]),
      },
      usage: {
        save: async (seen) => {
          await failing();
          this.saved.push([...seen]);
        },
        seedsOf: async () => {
          await failing();
          return this.stored;
        },
      },
      events: {
        raise: async (notices) => {
          await failing();
          this.raised.push([...notices]);
          return [];
        },
      },
      ...(countersMax !== undefined && { countersMax }),
    });
  }

  async check(limits: readonly Limit[], fields: Partial<ParsedCheck> = {}): Promise<Decision> {
    const check: ParsedCheck = {
      resource: 'r',
      subject: 's',
      tenant: 'acme',
      key: null,
      cost: 1,
      costs: {},
      attributes: {},
      idempotencyKey: null,
      reserve: null,
      ...fields,
    };
    const question = new CheckQuestion(check, bind(limits, check));
    const result = await this.engine.decide({ tenant, questions: [question] });
    if (result.kind !== 'answered') throw new Error(result.kind);
    const answer = result.answers[0] as Decided;
    return new Decision({ check, question, answer, basis: 'exact', degradedReason: null });
  }

  async note(limits: readonly Limit[], fields?: Partial<ParsedCheck>): Promise<Decision> {
    const decision = await this.check(limits, fields);
    this.keeper.note(tenant, decision);
    return decision;
  }
}

const tree = (allowance = 100) =>
  QuotaLimits.of(
    {
      name: 'calls',
      period: 'day',
      unit: 'requests',
      allowance,
      mode: null,
      teams: { eng: { limit: 50, users: { alice: { limit: 10 } } } },
      topUps: [],
    },
    { calendar: { timezone: 'UTC', billingAnchorDay: 1 }, nowMs: startMs, mode: 'enforce' },
  ) as QuotaLimits;

const perSubject = parseLimit(
  { algorithm: 'quota', limit: 1000, period: 'day', per: ['tenant', 'subject'] },
  { definedBy: 'plan', field: 'x' },
) as Limit;

const window = parseLimit(
  { algorithm: 'fixed_window', limit: 1000, window: '1m' },
  { definedBy: 'plan', field: 'x' },
) as Limit;

const rigs: Rig[] = [];
const makeRig = (countersMax?: number) => {
  const rig = new Rig(countersMax);
  rigs.push(rig);
  return rig;
};
afterEach(async () => {
  for (const { engine } of rigs.splice(0)) await engine.close();
});

describe('what quotas have used', () => {
  it('is written as the most that was seen, for each counter and period', async () => {
    const rig = makeRig();
    const limits = tree().applying({ team: 'eng', user: 'alice' });
    const attributes = { team: 'eng', user: 'alice' };
    const decisions = [];
    for (const cost of [1, 2, 3]) decisions.push(await rig.check(limits, { attributes, cost }));
    for (const decision of decisions.toReversed()) rig.keeper.note(tenant, decision);
    await rig.keeper.flush();
    expect(rig.saved).toHaveLength(1);
    const period = { startUs: startMs * 1000, endUs: (startMs + dayMs) * 1000 };
    const common = { tenantId: 'tenant-1', generation: 2, global: false, period, used: 6 };
    expect(rig.saved[0]).toEqual(
      limits.map(({ counterId }, at) => ({
        ...common,
        counter: `${counterId} ${['', 'eng', 'eng|alice'][at]}`,
      })),
    );
    await rig.keeper.flush();
    expect(rig.saved).toHaveLength(1);
  });

  it('is that of the newer period when one has ended, also when the older is heard of late', async () => {
    const rig = makeRig();
    const old = await rig.check([perSubject], { cost: 9 });
    rig.nowUs += dayMs * 1000;
    await rig.note([perSubject], { cost: 2 });
    rig.keeper.note(tenant, old);
    await rig.keeper.flush();
    expect(rig.saved.flat()).toMatchObject([
      { used: 2, period: { startUs: (startMs + dayMs) * 1000 } },
    ]);
  });

  it('is not what other limits count, nor what nobody used', async () => {
    const rig = makeRig();
    await rig.note([window], { cost: 5 });
    await rig.note([perSubject], { cost: 0 });
    await rig.keeper.flush();
    expect(rig.saved).toEqual([]);
  });

  it('is not what an answer said that is not exact, or was said before', async () => {
    const rig = makeRig();
    const facts = Decision.factsOf(await rig.check([perSubject], { cost: 5 }));
    rig.keeper.note(tenant, new Decision({ ...facts, basis: 'local' }));
    const answer = { ...facts.answer, replayOf: 'earlier' };
    rig.keeper.note(tenant, new Decision({ ...facts, answer }));
    rig.keeper.note(tenant, new Decision({ ...facts, answer: { ...facts.answer, readings: [] } }));
    await rig.keeper.flush();
    expect(rig.saved).toEqual([]);
  });

  it('is told as global where the counter is', async () => {
    const rig = makeRig();
    const limit = parseLimit(
      { algorithm: 'quota', limit: 9, period: 'day', per: ['global'] },
      { definedBy: 'policy *', field: 'x' },
    ) as Limit;
    await rig.note([limit]);
    await rig.keeper.flush();
    expect(rig.saved.flat()).toMatchObject([{ global: true, used: 1 }]);
  });

  it('is kept when it could not be written, with what came since', async () => {
    const rig = makeRig();
    await rig.note([perSubject], { cost: 3, subject: 'a' });
    await rig.note([perSubject], { cost: 3, subject: 'b' });
    await rig.note(tree().applying({}), { cost: 100 });
    rig.failure = new Error('away');
    await expect(rig.keeper.flush()).rejects.toThrow('away');
    await rig.note([perSubject], { cost: 4, subject: 'a' });
    rig.failure = null;
    await rig.keeper.flush();
    const used = rig.saved.flat().map((one) => [one.counter.at(-1), one.used]);
    expect(used).toEqual(
      expect.arrayContaining([
        ['a', 7],
        ['b', 3],
      ]),
    );
    expect(rig.raised.flat().map(({ threshold }) => threshold)).toEqual([80, 95, 100]);
  });

  it('is written early at the bound, and newcomers take the room that makes', async () => {
    const rig = makeRig(3);
    for (const subject of ['a', 'b', 'c', 'd', 'e']) await rig.note([perSubject], { subject });
    expect(rig.saved.map((seen) => seen.length)).toEqual([3]);
    await rig.keeper.flush();
    expect(rig.saved[1]).toHaveLength(2);
  });

  it('of newcomers without room is heard of with their next check', async () => {
    const rig = makeRig(2);
    rig.failure = new Error('away');
    for (const subject of ['a', 'b', 'c', 'd', 'e']) await rig.note([perSubject], { subject });
    await expect(rig.keeper.flush()).rejects.toThrow('away');
    rig.failure = null;
    await rig.keeper.flush();
    expect(rig.saved.flat()).toHaveLength(2);
    for (const subject of ['a', 'b', 'c', 'd', 'e']) await rig.note([perSubject], { subject });
    await rig.keeper.flush();
    const known = new Set(rig.saved.flat().map(({ counter }) => counter));
    expect(known.size).toBe(5);
  });

  it('asks a database that is away once, not for every newcomer', async () => {
    const rig = makeRig(2);
    let asked = 0;
    Object.defineProperty(rig, 'failure', {
      get: () => {
        asked += 1;
        return new Error('away');
      },
    });
    for (let at = 0; at < 50; at += 1) {
      await rig.note([perSubject], { subject: `s${at}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(4);
  });

  it('that was noted before a flush was asked for is written when it is done', async () => {
    const rig = makeRig();
    await rig.note([perSubject], { subject: 'a' });
    const first = rig.keeper.flush();
    const decision = await rig.check([perSubject], { subject: 'b' });
    rig.keeper.note(tenant, decision);
    await Promise.all([first, rig.keeper.flush()]);
    expect(rig.saved.flat()).toHaveLength(2);
  });
});

describe('what was lost', () => {
  const seed = (at: number): SavedUsage => ({
    counter: `c${at}`,
    global: false,
    period: { startUs: 0, endUs: 1 },
    used: at,
  });

  it('is seeded in chunks, once for all who wait, after what is only known here was written', async () => {
    const rig = makeRig();
    await rig.note([perSubject]);
    rig.stored = Array.from({ length: 1201 }, (_, at) => seed(at));
    await Promise.all([1, 2, 3].map(() => rig.keeper.restore(tenant)));
    expect(rig.saved).toHaveLength(1);
    expect(rig.seeded.map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(rig.seeded.flat()).toEqual(rig.stored);
    await rig.keeper.restore(tenant);
    expect(rig.seeded).toHaveLength(6);
  });

  it('is told when it is not known', async () => {
    const rig = makeRig();
    rig.failure = new Error('away');
    await expect(rig.keeper.restore(tenant)).rejects.toThrow('away');
    expect(rig.seeded).toEqual([]);
    rig.failure = null;
    await rig.keeper.restore(tenant);
  });
});

describe('thresholds', () => {
  const told = (rig: Rig) =>
    rig.raised.flat().map(({ level, entity, threshold, used }) => ({
      level,
      entity,
      threshold,
      used,
    }));

  it('are told one by one as they are reached, and once', async () => {
    const rig = makeRig();
    const limits = [tree().organization];
    for (let used = 1; used <= 100; used += 1) {
      await rig.note(limits);
      await rig.keeper.flush();
    }
    const common = { level: 'organization', entity: 'tenant-1' };
    expect(told(rig)).toEqual([
      { ...common, threshold: 80, used: 80 },
      { ...common, threshold: 95, used: 95 },
      { ...common, threshold: 100, used: 100 },
    ]);
  });

  it('are told together when one call reaches several', async () => {
    const rig = makeRig();
    await rig.note([tree().organization], { cost: 96 });
    await rig.keeper.flush();
    expect(told(rig).map(({ threshold }) => threshold)).toEqual([80, 95]);
  });

  it('are those of each level, with whom it is for', async () => {
    const rig = makeRig();
    const attributes = { team: 'eng', user: 'alice' };
    const limits = tree().applying(attributes);
    await rig.note(limits, { attributes, cost: 8 });
    await rig.note(tree().applying({ team: 'eng' }), { attributes: { team: 'eng' }, cost: 33 });
    await rig.keeper.flush();
    expect(told(rig)).toEqual([
      { level: 'user', entity: 'eng/alice', threshold: 80, used: 8 },
      { level: 'team', entity: 'eng', threshold: 80, used: 41 },
    ]);
    expect(rig.raised.flat()[1]).toMatchObject({ tenantId: 'tenant-1', quota: 'calls', limit: 50 });
  });

  it('are all reached by who is turned away, also by a limit that only watches', async () => {
    const rig = makeRig();
    const shadow = tree()
      .applying({})
      .map((limit) => ({ ...limit, mode: 'shadow', enforced: false }));
    for (const limits of [[tree().organization], shadow as Limit[]]) {
      await rig.note(limits, { cost: 60 });
      await rig.note(limits, { cost: 60 });
      await rig.keeper.flush();
    }
    expect(told(rig).map(({ threshold }) => threshold)).toEqual([80, 95, 100]);
    expect(told(rig)[2]).toMatchObject({ used: 60 });
  });

  it('are not those of a cost that could never fit', async () => {
    const rig = makeRig();
    const { allowed } = await rig.note([tree().organization], { cost: 101 });
    expect(allowed).toBe(false);
    await rig.keeper.flush();
    expect(told(rig)).toEqual([]);
  });

  it('are told again in the next period', async () => {
    const rig = makeRig();
    for (let day = 0; day < 3; day += 1) {
      await rig.note([tree().organization], { cost: 85 });
      rig.nowUs += dayMs * 1000;
    }
    await rig.keeper.flush();
    const starts = rig.raised.flat().map(({ period }) => period.startUs / 1000);
    expect(starts).toEqual([startMs, startMs + dayMs, startMs + 2 * dayMs]);
  });

  it('are of trees only', async () => {
    const rig = makeRig();
    await rig.note([perSubject], { cost: 1000 });
    await rig.keeper.flush();
    expect(rig.raised).toEqual([]);
  });
});
