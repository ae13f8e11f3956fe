import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ParsedCheck } from '../../../limiter/src/core/check.ts';
import { Decision } from '../../../limiter/src/core/decision.ts';
import type {
  Decided,
  Engine,
  LedgerCount,
  Question,
  Verdict,
} from '../../../limiter/src/core/engine.ts';
import { StoreFailure } from '../../../limiter/src/core/errors.ts';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { whenStoreFails } from '../../../limiter/src/core/when-store-fails.ts';
import { MemoryEngine } from '../../../limiter/src/engines/memory/index.ts';
import { Recorder } from '../../../platform/src/decide/index.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { openStore, type Store } from '../../support/store.ts';

const check: ParsedCheck = {
  resource: 'GET:/orders',
  subject: 'ann',
  tenant: 'acme',
  key: null,
  cost: 1,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
};
const atUs = Date.UTC(2026, 0, 1) * 1000;
const minute = atUs / 60_000_000;

const limitsOf = (...inputs: readonly Partial<LimitInput>[]) =>
  inputs.map((input, at) =>
    bound(
      limitOf({
        algorithm: 'fixed_window',
        name: `l${at}`,
        limit: 5,
        window: '1 s',
        ...input,
      } as LimitInput),
    ),
  );

/** A decision with these verdicts, as the store would have made it. */
function decided(
  asked: Question,
  verdicts: readonly Verdict[],
  more: Partial<Decided> = {},
): Decision {
  const readings = verdicts.map((verdict) => ({
    verdict,
    state: { startUs: 0, endUs: 0, used: 0 },
    held: 0,
    heldUntilUs: 0,
    blockedUntilUs: 0,
  }));
  const allowed = asked.limits.every(({ limit }, at) => !limit.enforced || verdicts[at] === 'ok');
  const answer: Decided = {
    kind: 'decided',
    allowed,
    nowUs: atUs,
    readings,
    replayOf: null,
    ticket: null,
    reservation: null,
    degraded: null,
    ...more,
  };
  return new Decision({ check, question: asked, answer, basis: 'exact', degradedReason: null });
}

const nameOf = ({ label, outcome }: LedgerCount) => `${outcome} ${label}`;

async function ledgerOf(engine: Engine, tenantId: string): Promise<LedgerCount[]> {
  const taken = await engine.takeLedger({ id: tenantId }, 1);
  if (taken.kind !== 'taken') throw new Error('dropped');
  return taken.counts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

describe('what a node counts by itself', () => {
  let engine: MemoryEngine;
  let recorder: Recorder;
  const tenant = { id: 'acme' };

  beforeEach(() => {
    engine = new MemoryEngine();
    recorder = new Recorder({ engine });
  });
  afterEach(() => engine.close());

  const counted = async () => {
    expect(await recorder.flush()).toBe(true);
    const counts = await ledgerOf(engine, tenant.id);
    expect(counts.every((line) => line.minute === minute)).toBe(true);
    return counts.map(({ outcome, label, count }) => `${count} ${outcome} ${label}`);
  };

  it('names the limits that refused, and those that would have', async () => {
    const limits = limitsOf({}, {}, { mode: 'warn' }, { mode: 'shadow' });
    const asked = () => question(limits, { ledgerLabel: 'GET:/a b l0,l1,l2,l3' });
    const note = (...verdicts: readonly Verdict[]) => {
      const each = asked();
      recorder.note(tenant, each, decided(each, verdicts));
    };
    note('ok', 'ok', 'ok', 'ok');
    note('exceeded', 'ok', 'ok', 'ok');
    note('exceeded', 'ok', 'ok', 'ok');
    note('impossible', 'penalty', 'ok', 'ok');
    note('ok', 'exceeded', 'ok', 'exceeded');
    note('ok', 'ok', 'exceeded', 'exceeded');
    note('ok', 'ok', 'exceeded', 'ok');
    expect(await counted()).toEqual([
      '2 blocked GET:/a b l0',
      '1 blocked GET:/a b l0,l1',
      '1 blocked GET:/a b l1',
      '1 would_block GET:/a b l2',
      '1 would_block GET:/a b l2,l3',
      '1 would_block GET:/a b l3',
    ]);
  });

  it('counts what was let in, or refused, without the store', async () => {
    const closed = { onStoreFailure: 'closed' } as const;
    const failure = new StoreFailure('unreachable');
    for (const limits of [limitsOf({}, {}), limitsOf({}, closed, closed)]) {
      const asked = question(limits, { ledgerLabel: `* ${limits.length}` });
      const decision = whenStoreFails(failure, check, asked);
      recorder.note(tenant, asked, decision);
    }
    expect(await recorder.flush()).toBe(true);
    const counts = await ledgerOf(engine, tenant.id);
    expect(counts.map(({ outcome, label }) => `${outcome} ${label}`)).toEqual([
      'blocked * l1,l2',
      'degraded * ',
    ]);
  });

  it('counts no peek, no replay and nothing without a label, and none of their tenants', async () => {
    const limits = limitsOf({}, { mode: 'warn' });
    const verdicts = ['exceeded', 'exceeded'] as const;
    const peek = question(limits, { ledgerLabel: '* l0', peek: true });
    recorder.note(tenant, peek, decided(peek, verdicts));
    const replay = question(limits, { ledgerLabel: '* l0' });
    recorder.note(tenant, replay, decided(replay, ['ok', 'exceeded'], { replayOf: 'first' }));
    const unnamed = question(limits);
    recorder.note(tenant, unnamed, decided(unnamed, verdicts));
    expect(await counted()).toEqual([]);
    expect(recorder.takeActive()).toEqual([]);
  });
});

describe('a store that fails', () => {
  const limits = limitsOf({});
  const tenant = () => ({ id: randomUUID() });
  const refuse = (recorder: Recorder, whom: { readonly id: string }, label = '* l0') => {
    const asked = question(limits, { ledgerLabel: label });
    recorder.note(whom, asked, decided(asked, ['exceeded']));
  };

  describe('behind a network that does', () => {
    let proxy: FaultProxy;
    let store: Store;
    beforeEach(async () => {
      const { port } = new URL(inject('redisUrl'));
      proxy = await FaultProxy.start(Number(port));
      store = openStore({ url: `redis://127.0.0.1:${proxy.port}` });
      await store.redis.ping();
    });
    afterEach(async () => {
      store.close();
      await proxy.stop();
    });

    it.each(['reset_on_reply', 'swallow_replies'] as const)(
      'is told again, and counts once (%s)',
      async (kind) => {
        const recorder = new Recorder({ engine: store.engine });
        const whom = tenant();
        for (let times = 0; times < 3; times += 1) refuse(recorder, whom);
        proxy.fault = { kind };
        expect(await recorder.flush()).toBe(false);
        expect(proxy.seen.lost).toBeGreaterThan(0);
        refuse(recorder, whom);
        proxy.fault = { kind: 'pass' };
        if (kind === 'swallow_replies') proxy.cut();
        await expect.poll(() => recorder.flush(), { timeout: 20_000 }).toBe(true);
        const counts = await ledgerOf(store.engine, whom.id);
        expect(counts.map(({ count }) => count)).toEqual([4]);
      },
    );

    it('is told when it comes back, of what happened meanwhile', async () => {
      const recorder = new Recorder({ engine: store.engine });
      const [first, second] = [tenant(), tenant()];
      proxy.fault = { kind: 'swallow' };
      for (let round = 0; round < 3; round += 1) {
        refuse(recorder, first);
        refuse(recorder, second, `* ${round}`);
      }
      expect(await recorder.flush()).toBe(false);
      refuse(recorder, first);
      proxy.fault = { kind: 'pass' };
      proxy.cut();
      await recorder.close();
      const sum = async (id: string) =>
        (await ledgerOf(store.engine, id)).reduce((total, { count }) => total + count, 0);
      expect([await sum(first.id), await sum(second.id)]).toEqual([4, 3]);
    });
  });

  it('costs no more than there is room for, and how much is known', async () => {
    let isAway = true;
    const engine = new MemoryEngine();
    let lost = 0;
    const recorder = new Recorder({
      engine: {
        record: async (to, record) => {
          if (isAway) throw new StoreFailure('unreachable');
          await engine.record(to, record);
        },
      },
      onLost: (calls) => (lost += calls),
      linesMax: 20,
    });
    const whom = tenant();
    for (let label = 0; label < 30; label += 1) refuse(recorder, whom, `${label} l0`);
    // What there is a line for finds room in it.
    for (let label = 0; label < 30; label += 1) refuse(recorder, whom, `${label} l0`);
    expect(lost).toBe(20);
    expect(await recorder.flush()).toBe(false);
    isAway = false;
    expect(await recorder.flush()).toBe(true);
    refuse(recorder, whom, 'again l0');
    expect(await recorder.flush()).toBe(true);
    const counts = await ledgerOf(engine, whom.id);
    expect(counts.reduce((sum, { count }) => sum + count, 0) + lost).toBe(61);
    isAway = true;
    refuse(recorder, whom);
    refuse(recorder, whom);
    await recorder.close();
    expect(lost).toBe(22);
    await engine.close();
  });

  it('a full box is emptied before its second', async () => {
    const engine = new MemoryEngine();
    let lost = 0;
    const recorder = new Recorder({ engine, onLost: (calls) => (lost += calls) });
    const whom = tenant();
    for (let label = 0; label < 12_000; label += 1) refuse(recorder, whom, `${label} l0`);
    await expect.poll(() => engine.hasLedger(whom, 1), { timeout: 20_000 }).toBe(true);
    await recorder.flush();
    expect(lost).toBe(0);
    expect(await ledgerOf(engine, whom.id)).toHaveLength(12_000);
    await engine.close();
  });
});
