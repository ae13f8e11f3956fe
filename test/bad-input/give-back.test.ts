import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { concurrency, fixedWindow, tokenBucket, type Decision, type Limiter } from 'sluice';
import { canary, loneSurrogate, megabyte, refusedField, untyped } from './problem.ts';
import { openPlace, type Place } from './places.ts';

const good = { resource: 'GET:/orders', subject: 'someone' };
const notId = [undefined, null, 5, true, {}, [], '', megabyte, loneSurrogate];
const notCost = [-1, NaN, Infinity, 0.5, 2 ** 53, '1', null, true, {}, [1]];

describe.each(['memory', 'redis'] as const)('on %s', (name) => {
  let place: Place;
  let limiter: Limiter;
  let held: Decision;
  let charged: Decision;

  beforeAll(async () => {
    place = await openPlace(name);
    limiter = place.limiter([
      fixedWindow({ limit: 100, window: '365 days' }),
      tokenBucket({ capacity: 100, refill: { tokens: 1, every: '1 day' }, unit: 'tokens' }),
      concurrency({ maxConcurrent: 10, staleAfter: '1 day' }),
    ]);
    const costs = { tokens: 5 };
    charged = await limiter.check({ ...good, cost: 3, costs });
    held = await limiter.check({ ...good, cost: 3, costs, reserve: { ttlMs: 3_600_000 } });
  });

  afterAll(() => place?.close());

  /** Refused by name, and nothing was given back or taken. */
  async function refused(work: () => unknown): Promise<string> {
    const before = await place.state();
    const field = await refusedField(work);
    expect(await place.state()).toBe(before);
    return field;
  }

  test('bad ids of reservations and tickets are refused', async () => {
    for (const id of notId) {
      expect(await refused(() => limiter.settle(untyped(id), { cost: 1 }))).toBe('reservationId');
      expect(await refused(() => limiter.release(untyped(id)))).toBe('ticket');
      const ticket = () => limiter.heartbeat({ ticket: untyped(id), ttlMs: 1000 });
      expect(await refused(ticket)).toBe('ticket');
      const reservation = () => limiter.heartbeat({ reservationId: untyped(id), ttlMs: 1000 });
      expect(await refused(reservation)).toBe('reservationId');
    }
  });

  test('ids that were never given out change nothing', async () => {
    const before = await place.state();
    const never = { kind: 'unknown' };
    for (const id of ['unknown', 'a b', '{a}', '\u0000', 'a|b', 'x'.repeat(4096), '__proto__']) {
      expect(await limiter.settle(id, { cost: 1 })).toEqual(never);
      expect(await limiter.heartbeat({ reservationId: id, ttlMs: 1000 })).toBe(false);
      expect(await limiter.release(id)).toBe(false);
      expect(await limiter.heartbeat({ ticket: id, ttlMs: 1000 })).toBe(false);
    }
    const real = held.ticket ?? '';
    const forgeries = [`${real}x`, `x${real}`, `${real}.`, `${real}~1`, real.slice(1)];
    for (const forged of forgeries) expect(await limiter.release(forged)).toBe(false);
    expect(await place.state()).toBe(before);
  });

  test('another tenant can neither settle, renew nor release', async () => {
    const tenant = 'another';
    const id = held.reservation?.id ?? '';
    expect(await limiter.settle(id, { cost: 0, tenant })).toEqual({ kind: 'unknown' });
    expect(await limiter.release(held.ticket ?? '', { tenant })).toBe(false);
    const ticket = held.ticket ?? '';
    expect(await limiter.heartbeat({ ticket, ttlMs: 1000, tenant })).toBe(false);
    expect(await limiter.heartbeat({ reservationId: id, ttlMs: 1000, tenant })).toBe(false);
    const { limits } = await limiter.check({ ...good, cost: 0 });
    expect(limits.map(({ used }) => used)).toEqual([6, 10, 2]);
  });

  test('bad costs, times and tenants are refused', async () => {
    const id = held.reservation?.id ?? '';
    const ticket = held.ticket ?? '';
    for (const cost of notCost) {
      const bad: number = untyped(cost);
      expect(await refused(() => limiter.settle(id, { cost: bad }))).toBe('cost');
      expect(await refused(() => limiter.settle(id, { costs: { tokens: bad } }))).toBe(
        'costs.tokens',
      );
      expect(await refused(() => limiter.refund(charged, { cost: bad }))).toBe('cost');
      expect(await refused(() => limiter.refund(charged, { costs: { tokens: bad } }))).toBe(
        'costs.tokens',
      );
    }
    for (const ttlMs of [0, -1, NaN, 1.5, 2 ** 53, '5', null, 86_400_001]) {
      const bad: number = untyped(ttlMs);
      expect(await refused(() => limiter.heartbeat({ ticket, ttlMs: bad }))).toBe('ttlMs');
      expect(await refused(() => limiter.heartbeat({ reservationId: id, ttlMs: bad }))).toBe(
        'ttlMs',
      );
    }
    for (const tenant of ['', null, 5, {}, megabyte, loneSurrogate, canary.repeat(200)]) {
      const bad: string = untyped(tenant);
      expect(await refused(() => limiter.settle(id, { cost: 1, tenant: bad }))).toBe('tenant');
      expect(await refused(() => limiter.release(ticket, { tenant: bad }))).toBe('tenant');
      const beat = () => limiter.heartbeat({ ticket, ttlMs: 1000, tenant: bad });
      expect(await refused(beat)).toBe('tenant');
    }
  });

  test('what is no object, and fields that are not known, are refused', async () => {
    const id = held.reservation?.id ?? '';
    const ticket = held.ticket ?? '';
    for (const value of [null, 5, 'cost', true, []]) {
      const bad: never = untyped(value);
      expect(await refused(() => limiter.settle(id, bad))).toBe('real');
      expect(await refused(() => limiter.refund(charged, bad))).toBe('part');
      expect(await refused(() => limiter.heartbeat(bad))).toBe('held');
      expect(await refused(() => limiter.release(ticket, bad))).toBe('options');
      expect(await refused(() => limiter.settle(id, { costs: bad }))).toBe('costs');
      expect(await refused(() => limiter.refund(charged, { costs: bad }))).toBe('costs');
    }
    const typo: never = untyped({ csot: 1 });
    expect(await refused(() => limiter.settle(id, typo))).toBe('csot');
    expect(await refused(() => limiter.refund(charged, typo))).toBe('csot');
    expect(await refused(() => limiter.release(ticket, untyped({ tennant: 'a' })))).toBe('tennant');
    const beat: never = untyped({ ticket, ttlMs: 5, ttl: 5 });
    expect(await refused(() => limiter.heartbeat(beat))).toBe('ttl');
    const both: never = untyped({ ticket, reservationId: id, ttlMs: 5 });
    expect(await refused(() => limiter.heartbeat(both))).toBe('reservationId');
    expect(await refused(() => limiter.heartbeat(untyped({ ttlMs: 5 })))).toBe('ticket');
    for (const decision of [null, undefined, {}, 'id', { allowed: true, decisionId: 'a' }]) {
      expect(await refused(() => limiter.refund(untyped(decision)))).toBe('decision');
    }
  });
});
