import { describe, expect, it } from 'vitest';
import type { BoundLimit, Question } from '../../core/engine.ts';
import type { LimitInput } from '../../core/limit-input.ts';
import { parseLimit } from '../../core/parse-limit.ts';
import type { MemoryDump } from './dump.ts';
import { KeyedHash } from '../names/keyed-hash.ts';
import { TicketMarks } from '../names/ticket-marks.ts';
import { MemoryEngine } from './memory-engine.ts';

const tenant = { id: 'a-tenant' };
const inputs: LimitInput[] = [
  { algorithm: 'token_bucket', capacity: 5, refillPerSecond: 0.7 },
  { algorithm: 'fixed_window', limit: 5, window: '10 s' },
  { algorithm: 'sliding_window_log', limit: 5, window: '10 s' },
  { algorithm: 'sliding_window_counter', limit: 5, window: '10 s' },
  { algorithm: 'concurrency', maxConcurrent: 5, staleAfter: '10 s' },
  { algorithm: 'quota', limit: 5, period: 'month' },
];
const limits = inputs.map((input): BoundLimit => {
  const limit = parseLimit({ ...input, blockFor: '1 min' }, { definedBy: 'test', field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return { limit, parts: ['a', null], cost: 2 };
});

const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 60_000 };

async function used(engine: MemoryEngine) {
  const { readings } = await engine.inspect(tenant, limits);
  return readings.map(({ verdict, state, held, heldUntilUs, blockedUntilUs }) => ({
    verdict,
    state,
    held,
    heldUntilUs,
    blockedUntilUs,
  }));
}

const marks = new TicketMarks(new KeyedHash(''));
const ticket = (id: string) => marks.mark(tenant.id, id);

async function move(clock: { nowUs: number }): Promise<[MemoryEngine, MemoryEngine]> {
  const before = new MemoryEngine({ clock: () => clock.nowUs });
  const ask = (id: string, more: Partial<Question> = {}, asked = limits) =>
    before.decideNow({ tenant, questions: [{ id, limits: asked, peek: false, ...more }] });
  await before.publishEpoch(tenant, { tenant: 7, shared: 3 });
  ask('charged', { idempotency, ledgerLabel: 'orders' });
  ask('reserved', { reserve: { ttlMs: 5000, onExpiry: 'keep' } });
  ask('struck');
  await before.dropLedger(tenant, 2);
  const counts = [{ minute: 1, outcome: 'blocked', label: 'orders', count: 1 }] as const;
  await before.record(tenant, { writer: 'node', number: 5, counts });
  await before.refund(tenant, { id: 'refunded', chargedAtUs: clock.nowUs, limits: [] });
  const text = JSON.stringify(before.dump());
  const after = new MemoryEngine({ clock: () => clock.nowUs });
  after.restore(JSON.parse(text) as MemoryDump);
  await Promise.all([before.close(), after.close()]);
  return [before, after];
}

describe('an engine restored from a dump, by way of JSON', () => {
  it('shows what the one before it showed, now and as time goes on', async () => {
    const clock = { nowUs: 1_700_000_000_000_000 };
    const [before, after] = await move(clock);
    for (const waitUs of [0, 1, 4_999_999, 1, 3_000_000, 10_000_000, 60_000_000, 3e12]) {
      clock.nowUs += waitUs;
      expect(await used(after)).toEqual(await used(before));
    }
  });

  it('releases its tickets, settles its reservations and repeats its answers', async () => {
    const clock = { nowUs: 1_700_000_000_000_000 };
    const [before, after] = await move(clock);
    for (const engine of [before, after]) {
      expect(await engine.release(tenant, ticket('charged'))).toBe('released');
      expect(
        await engine.heartbeat(tenant, { ticket: ticket('reserved'), ttlMs: 9000 }),
      ).toMatchObject({ kind: 'held' });
      const beat = { reservationId: 'reserved', ttlMs: 8000 };
      expect(await engine.heartbeat(tenant, beat)).toMatchObject({ kind: 'held' });
      const settlement = { reservationId: 'reserved', costs: { requests: 1 } };
      expect(await engine.settle(tenant, settlement)).toMatchObject({ kind: 'settled' });
      expect(await engine.refund(tenant, { id: 'refunded', chargedAtUs: 0, limits: [] })).toBe(
        false,
      );
      const again = { id: 'again', limits, peek: false, idempotency };
      expect(engine.decideNow({ tenant, questions: [again] })).toMatchObject({
        answers: [{ allowed: true, nowUs: clock.nowUs }],
      });
    }
    expect(await used(after)).toEqual(await used(before));
  });

  it('knows its epoch and its ledger, and what of that was written and dropped', async () => {
    const [before, after] = await move({ nowUs: 1_700_000_000_000_000 });
    const snapshot = { epoch: { tenant: 6, shared: 3 } };
    expect(after.decideNow({ tenant, questions: [], snapshot }).kind).toBe('stale');
    const ledger = await after.takeLedger(tenant, 3);
    expect(ledger).toEqual(await before.takeLedger(tenant, 3));
    expect(ledger).toMatchObject({ kind: 'taken', counts: [{ count: 1 }, { count: 1 }] });
    expect(await after.takeLedger(tenant, 2)).toEqual({ kind: 'dropped', last: 2 });
    const counts = [{ minute: 1, outcome: 'blocked', label: 'l', count: 1 }] as const;
    await after.record(tenant, { writer: 'node', number: 5, counts });
    expect(await after.hasLedger(tenant, 4)).toBe(false);
    await after.record(tenant, { writer: 'node', number: 6, counts });
    expect(await after.hasLedger(tenant, 4)).toBe(true);
  });

  it('has its global counters for all tenants, and its seeds in wait', async () => {
    const clock = { nowUs: 1_700_000_000_000_000 };
    const before = new MemoryEngine({ clock: () => clock.nowUs, secret: 'one' });
    const parse = (input: LimitInput): BoundLimit => {
      const limit = parseLimit(input, { definedBy: 'test', field: 'limit' });
      if (!limit) throw new Error('the limit is off');
      return { limit, parts: [], cost: 3 };
    };
    const month = { algorithm: 'quota', limit: 5, period: 'month' } as const;
    const everyone = parse({ ...month, name: 'everyone', per: ['global'] });
    const seeded = parse({ ...month, name: 'seeded', per: ['tenant'] });
    before.decideNow({ tenant, questions: [{ id: 'one', limits: [everyone], peek: false }] });
    const period = { startUs: clock.nowUs - 1, endUs: clock.nowUs + 1000 };
    const counter = before.counterName(seeded);
    await before.seed(tenant, [{ counter, period, used: 4 }]);
    const after = new MemoryEngine({ clock: () => clock.nowUs, secret: 'one' });
    after.restore(JSON.parse(JSON.stringify(before.dump())) as MemoryDump);
    const other = { id: 'another' };
    expect((await after.inspect(other, [everyone])).readings[0]?.state).toMatchObject({ used: 3 });
    expect((await after.inspect(tenant, [seeded])).readings[0]?.state).toMatchObject({ used: 4 });
    await Promise.all([before.close(), after.close()]);
  });

  it('shares nothing with the dump: a second one begins as the first did', async () => {
    const clock = { nowUs: 1_700_000_000_000_000 };
    const [before] = await move(clock);
    const dumped = before.dump();
    const [first, second] = [0, 1].map(() => new MemoryEngine({ clock: () => clock.nowUs }));
    first?.restore(dumped);
    await first?.reset(tenant, limits);
    first?.decideNow({ tenant, questions: [{ id: 'more', limits, peek: false }] });
    second?.restore(dumped);
    expect(await used(second as MemoryEngine)).toEqual(await used(before));
    await Promise.all([first?.close(), second?.close()]);
  });

  it('refuses a dump of another release', () => {
    const engine = new MemoryEngine();
    const other = { version: 2, cells: [], books: [], seeds: [] } as unknown as MemoryDump;
    expect(() => engine.restore(other)).toThrow('another release');
  });
});
