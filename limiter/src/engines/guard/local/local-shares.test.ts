import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bind, parseCheck } from '../../../core/check.ts';
import type { Decision } from '../../../core/decision.ts';
import type { Decided, DebitCall } from '../../../core/engine.ts';
import { CapacityFull, StoreFailure } from '../../../core/errors.ts';
import type { LimitInput } from '../../../core/limit-input.ts';
import { parseLimit } from '../../../core/parse-limit.ts';
import { CheckQuestion } from '../../../core/question.ts';
import { whenStoreFails } from '../../../core/when-store-fails.ts';
import { MemoryEngine } from '../../memory/index.ts';
import { LocalShares } from './local-shares.ts';
import type { Fleet } from './node-share.ts';

const startUs = Date.UTC(2026, 10, 16, 12) * 1000;
const failure = new StoreFailure('timeout');
const local = { onStoreFailure: 'local' } as const;
const window: LimitInput = { algorithm: 'fixed_window', limit: 100, window: '1 min', ...local };
const bucket: LimitInput = {
  algorithm: 'token_bucket',
  capacity: 100,
  refillPerSecond: 1,
  ...local,
};

let nowUs = startUs;
let store: MemoryEngine;
let debits: DebitCall[] = [];
let isStoreDeaf = false;
let deafTenant: string | null = null;
const opened: LocalShares[] = [];

beforeEach(() => {
  nowUs = startUs;
  debits = [];
  isStoreDeaf = false;
  deafTenant = null;
  store = new MemoryEngine({ clock: () => nowUs });
});

afterEach(async () => {
  await Promise.all([...opened.splice(0), store].map((one) => one.close()));
});

function sharesOf(fleet: Fleet = { nodes: 1, rank: 0 }): LocalShares {
  const engine = {
    debit: async (tenant: { readonly id: string }, call: DebitCall) => {
      if (isStoreDeaf || tenant.id === deafTenant) throw failure;
      debits.push(call);
      return store.debit(tenant, call);
    },
  };
  const shares = new LocalShares({ engine, fleet: () => fleet, clock: () => nowUs });
  opened.push(shares);
  return shares;
}

function asker(shares: LocalShares, ...inputs: LimitInput[]) {
  const limits = inputs.map((input, at) => {
    const limit = parseLimit(input, { definedBy: 'test', field: `limits[${at}]` });
    if (!limit) throw new Error('off');
    return limit;
  });
  const asked = (cost: number, subject: string, tenant: string) => {
    const check = parseCheck({ resource: 'GET:/x', subject, tenant, cost });
    return { check, question: new CheckQuestion(check, bind(limits, check)) };
  };
  return {
    /** While the store answers. */
    exact(cost = 1, { subject = 'ann', tenant = 't' } = {}): boolean {
      const { question } = asked(cost, subject, tenant);
      const answer = store.answerNow({ id: tenant }, question) as Decided;
      shares.heard({ id: tenant }, question, answer);
      return answer.allowed;
    },
    /** While it does not. */
    cut(cost = 1, { subject = 'ann', tenant = 't' } = {}, why = failure): Decision {
      const { check, question } = asked(cost, subject, tenant);
      return whenStoreFails(why, check, question, shares.answer({ id: tenant }, question));
    },
  };
}

function admitted(ask: ReturnType<typeof asker>, calls: number, who = {}): number {
  let count = 0;
  for (let call = 0; call < calls; call += 1) if (ask.cut(1, who).allowed) count += 1;
  return count;
}

describe('while the store is away', () => {
  it('each node lets in its share, and all of them no more than the limit', () => {
    for (const limit of [100, 7, 3]) {
      const counts = Array.from({ length: 8 }, (_, rank) => {
        const ask = asker(sharesOf({ nodes: 8, rank }), { ...window, limit });
        return admitted(ask, 200);
      });
      expect(counts.reduce((sum, count) => sum + count)).toBe(limit);
    }
  });

  it('says what it went by', () => {
    const ask = asker(sharesOf({ nodes: 4, rank: 0 }), { ...window, name: 'w' });
    const decision = ask.cut();
    expect(decision).toMatchObject({
      allowed: true,
      basis: 'local',
      degradedReason: 'timeout',
      limit: 25,
      remaining: 24,
    });
    expect(decision.limits[0]).toMatchObject({ baseLimit: 100, limit: 25, overrideId: null });
    admitted(ask, 24);
    const refusal = ask.cut();
    expect(refusal).toMatchObject({ allowed: false, basis: 'local', degradedReason: 'timeout' });
    expect(refusal.blockedBy).toMatchObject({ limit: 'w', reason: 'exceeded' });
    expect(refusal.retryAfterMs).toBe(60_000);
  });

  it('refuses where this node has no share at all', () => {
    const ask = asker(sharesOf({ nodes: 8, rank: 5 }), { ...window, limit: 3 });
    const refusal = ask.cut();
    expect(refusal).toMatchObject({ allowed: false, basis: 'local', retryAfterMs: 1000 });
    expect(refusal.blockedBy?.reason).toBe('unavailable');
  });

  it('refills a bucket at its share of the rate', () => {
    const ask = asker(sharesOf({ nodes: 2, rank: 0 }), bucket);
    expect(admitted(ask, 100)).toBe(50);
    nowUs += 10_000_000;
    expect(admitted(ask, 100)).toBe(5);
  });

  it('goes by each limit as it says: closed refuses, open lets through, and a full store refuses', () => {
    const shares = sharesOf();
    const open: LimitInput = { ...window, name: 'open', limit: 1, onStoreFailure: 'open' };
    const closed: LimitInput = { ...open, name: 'closed', onStoreFailure: 'closed' };
    const ask = asker(shares, { ...window, limit: 2 }, open);
    expect([ask.cut(), ask.cut(), ask.cut()].map((one) => [one.allowed, one.basis])).toEqual([
      [true, 'fail_open'],
      [true, 'fail_open'],
      [false, 'local'],
    ]);
    expect(asker(shares, window, closed).cut()).toMatchObject({ basis: 'fail_closed' });
    const full = asker(shares, open).cut(1, {}, new CapacityFull());
    expect(full).toMatchObject({ allowed: false, basis: 'fail_closed', retryAfterMs: 1000 });
    expect(full.blockedBy).toMatchObject({ limit: 'open', reason: 'unavailable' });
    const watched = asker(shares, { ...open, mode: 'shadow' });
    expect(watched.cut(1, {}, new CapacityFull()).allowed).toBe(true);
  });

  it('is not refused by a limit in shadow, which is counted all the same', () => {
    const ask = asker(sharesOf(), { ...window, limit: 1, mode: 'shadow', name: 's' });
    expect(ask.cut().wouldBlock).toEqual([]);
    expect(ask.cut()).toMatchObject({ allowed: true, wouldBlock: ['s'] });
  });

  it('charges nothing for a look', () => {
    const ask = asker(sharesOf(), { ...window, limit: 1 });
    expect([ask.cut(0).allowed, ask.cut(1).allowed, ask.cut(1).allowed]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a share', () => {
  it('begins with what was left, not full', () => {
    for (const input of [window, bucket]) {
      const ask = asker(sharesOf({ nodes: 2, rank: 0 }), input);
      ask.exact(60);
      expect(admitted(ask, 100)).toBe(20);
    }
  });

  it('is full where the store was never asked, and where all was back meanwhile', () => {
    const ask = asker(sharesOf({ nodes: 2, rank: 0 }), window);
    ask.exact(100);
    expect(admitted(ask, 100, { subject: 'bob' })).toBe(50);
    nowUs += 60_000_000;
    expect(admitted(ask, 100)).toBe(50);
  });

  it('is told apart by tenant and subject', () => {
    const ask = asker(sharesOf(), window);
    ask.exact(100);
    expect(admitted(ask, 200, { tenant: 'u' })).toBe(100);
    expect(admitted(ask, 10)).toBe(0);
  });
});

describe('when the store is back', () => {
  it('is charged what it does not know, once', async () => {
    const shares = sharesOf();
    const ask = asker(shares, window);
    ask.exact(10);
    expect(admitted(ask, 30)).toBe(30);
    ask.exact(1);
    await shares.flush();
    await shares.flush();
    ask.exact(1);
    await shares.flush();
    expect(debits.map(({ limits }) => limits.map(({ cost }) => cost))).toEqual([[30]]);
    let left = 0;
    while (ask.exact()) left += 1;
    expect(left).toBe(100 - 10 - 30 - 2);
  });

  it('is told again under the same id until it hears', async () => {
    const shares = sharesOf();
    const ask = asker(shares, window);
    admitted(ask, 5);
    isStoreDeaf = true;
    ask.exact(1);
    await shares.flush();
    isStoreDeaf = false;
    await shares.flush();
    await shares.flush();
    expect(debits).toHaveLength(1);
  });

  it('is told of others while one does not hear', async () => {
    const shares = sharesOf();
    const ask = asker(shares, window);
    admitted(ask, 5, { tenant: 'deaf' });
    admitted(ask, 3, { tenant: 'hears' });
    deafTenant = 'deaf';
    ask.exact(1, { tenant: 'deaf' });
    ask.exact(1, { tenant: 'hears' });
    await shares.flush();
    await shares.flush();
    expect(debits.map(({ limits }) => limits[0]?.cost)).toEqual([3]);
    deafTenant = null;
    await shares.flush();
    expect(debits.map(({ limits }) => limits[0]?.cost)).toEqual([3, 5]);
  });

  it('is not charged for a window that is over', async () => {
    const shares = sharesOf();
    const ask = asker(shares, window);
    admitted(ask, 5);
    nowUs += 60_000_000;
    admitted(ask, 3);
    ask.exact(1);
    await shares.flush();
    expect(debits[0]?.limits[0]?.cost).toBe(3);
  });

  it('is charged no more than twice the share, however long it was away', async () => {
    const shares = sharesOf({ nodes: 2, rank: 0 });
    const ask = asker(shares, bucket);
    for (let second = 0; second < 1000; second += 1) {
      admitted(ask, 1);
      nowUs += 2_000_000;
    }
    admitted(ask, 1);
    ask.exact(1);
    await shares.flush();
    expect(debits[0]?.limits[0]?.cost).toBe(100);
  });

  it('begins anew in the next outage, from what is left then', async () => {
    const shares = sharesOf();
    const ask = asker(shares, window);
    expect(admitted(ask, 40)).toBe(40);
    ask.exact(1);
    await shares.flush();
    ask.exact(1);
    expect(admitted(ask, 100)).toBe(100 - 40 - 2);
  });

  it('reports what is global through whoever comes first', async () => {
    const shares = sharesOf();
    const ask = asker(shares, { ...window, per: ['global'] });
    expect(admitted(ask, 60, { tenant: 'a' })).toBe(60);
    expect(admitted(ask, 60, { tenant: 'b' })).toBe(40);
    ask.exact(1, { tenant: 'c' });
    await shares.flush();
    expect(debits.flatMap(({ limits }) => limits.map(({ cost }) => cost))).toEqual([100]);
    expect(ask.exact(1, { tenant: 'a' })).toBe(false);
  });
});
