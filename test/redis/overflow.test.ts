import { expect, test } from 'vitest';
import type { BoundLimit, Decided } from '../../limiter/src/core/engine.ts';
import { view } from '../../limiter/src/core/view.ts';
import { limitOf, question } from '../support/limits.ts';
import { openStore, type Store } from '../support/store.ts';

const tenant = { id: 'crowded' };
const few = { countersPerHour: 2, recordsPerHour: 2 };
const slots = limitOf({ algorithm: 'concurrency', maxConcurrent: 3, staleAfter: '1 min' });
const window = limitOf({ algorithm: 'fixed_window', limit: 5, window: '365 days' });

async function ask({ engine }: Store, limits: readonly BoundLimit[], more = {}): Promise<Decided> {
  const result = await engine.decide({ tenant, questions: [question(limits, more)] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error('not decided');
  return answer;
}

const by = (limit: BoundLimit['limit'], who: string, cost = 1): BoundLimit => ({
  limit,
  parts: [who],
  cost,
});

test('newcomers beyond the allowance share one counter, and those before keep their own', async () => {
  const store = openStore({ allowances: few });
  for (const who of ['first', 'second']) {
    expect(await ask(store, [by(window, who)])).toMatchObject({ allowed: true, degraded: null });
  }
  for (let at = 0; at < 5; at += 1) {
    const answer = await ask(store, [by(window, `newcomer-${at}`)]);
    expect(answer).toMatchObject({ allowed: true, degraded: 'overflow' });
  }
  const refused = await ask(store, [by(window, 'one-too-many')]);
  expect(refused).toMatchObject({ allowed: false, degraded: 'overflow' });
  expect(await ask(store, [by(window, 'first')])).toMatchObject({ allowed: true, degraded: null });
  store.close();
});

test('calls on a set of slots that is there take nothing from the allowance', async () => {
  const store = openStore({ allowances: few });
  const kept = await ask(store, [by(slots, 'busy')]);
  expect(kept.degraded).toBeNull();
  for (let call = 0; call < 10; call += 1) {
    const answer = await ask(store, [by(slots, 'busy')]);
    expect(answer).toMatchObject({ allowed: true, degraded: null });
    expect(await store.engine.release(tenant, answer.ticket ?? '')).toBe('released');
  }
  store.close();
});

test('a ticket from a shared counter gives its slot back', async () => {
  const store = openStore({ allowances: { ...few, countersPerHour: 0 } });
  for (let call = 0; call < 10; call += 1) {
    const answer = await ask(store, [by(slots, `newcomer-${call}`)]);
    expect(answer).toMatchObject({ allowed: true, degraded: 'overflow' });
    expect(await store.engine.release(tenant, answer.ticket ?? '')).toBe('released');
  }
  store.close();
});

test('a reservation on a shared counter is settled there', async () => {
  const store = openStore({ allowances: { ...few, countersPerHour: 0 } });
  const reserve = { ttlMs: 60_000, onExpiry: 'refund' };
  const first = await ask(store, [by(window, 'newcomer', 5)], { reserve });
  expect(first).toMatchObject({ allowed: true, degraded: 'overflow' });
  expect(await ask(store, [by(window, 'another')])).toMatchObject({ allowed: false });
  const settled = await store.engine.settle(tenant, {
    reservationId: first.reservation?.id ?? '',
    costs: { requests: 1 },
  });
  expect(settled).toMatchObject({ kind: 'settled', late: false, debt: 0 });
  const next = await ask(store, [by(window, 'another')]);
  expect(next.allowed).toBe(true);
  const [reading] = next.readings;
  expect(reading && view(by(window, 'another'), reading, next.nowUs).used).toBe(2);
  store.close();
});
