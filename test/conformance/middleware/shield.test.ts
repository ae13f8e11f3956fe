import { expect, it } from 'vitest';
import { fixedWindow } from 'sluice';
import { gate, inEveryFramework, type Asker, type Handler } from './rig.ts';

const limits = [fixedWindow({ name: 'orders', limit: 10, window: '1 h' })];

const order = (ask: Asker, key: string, what = 'tea', more: Record<string, string> = {}) =>
  ask('/orders', {
    method: 'POST',
    headers: { 'idempotency-key': key, 'content-type': 'application/json', ...more },
    body: JSON.stringify({ what }),
  });

inEveryFramework('under an idempotency key', ({ serve }) => {
  /** Answers with how often it ran. */
  const counting = (answer: (count: number) => ReturnType<Handler>) => {
    let count = 0;
    return (() => answer((count += 1))) satisfies Handler;
  };
  const made = (count: number) => ({
    status: 201,
    body: `order ${count}`,
    headers: { 'x-order': String(count), 'set-cookie': 'session=secret' },
  });

  it('the first success is the answer to whoever asks again, and is charged once', async () => {
    const ask = await serve({
      limits: (read) => ({
        limits,
        shield: true,
        by: { user: (one) => read.header(one, 'x-user') ?? 'ann' },
      }),
      routes: { 'POST /orders': counting(made) },
    });
    const first = await order(ask, 'order-0001');
    expect([first.status, first.text]).toEqual([201, 'order 1']);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    const again = await order(ask, 'order-0001');
    expect([again.status, again.text, again.headers.get('x-order')]).toEqual([201, 'order 1', '1']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-ratelimit-remaining')).toBe('9');
    // A session is for who got it first.
    expect(again.headers.has('set-cookie')).toBe(false);
    expect((await order(ask, 'order-0002')).text).toBe('order 2');
    // Another caller's key is another key.
    expect((await order(ask, 'order-0001', 'tea', { 'x-user': 'bob' })).text).toBe('order 3');
  });

  it('another body is refused', async () => {
    const ask = await serve({
      limits: () => ({ limits, shield: true }),
      routes: { 'POST /orders': counting(made) },
    });
    await order(ask, 'order-0001');
    const other = await order(ask, 'order-0001', 'coffee');
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_conflict']);
  });

  it('a failure is not kept', async () => {
    const failing = counting((count) =>
      count === 1 ? { status: 503, body: 'busy' } : made(count),
    );
    const ask = await serve({
      limits: () => ({ limits, shield: true }),
      routes: { 'POST /orders': failing },
    });
    expect((await order(ask, 'order-0001')).status).toBe(503);
    expect((await order(ask, 'order-0001')).text).toBe('order 2');
    expect((await order(ask, 'order-0001')).text).toBe('order 2');
  });

  /** Two calls under one key, the second while the first one runs. */
  const overlapping = async (whenRunning: 'refuse' | 'wait') => {
    const started = gate();
    const finish = gate();
    const slow = counting(async (count) => {
      started.open();
      await finish.opened;
      return made(count);
    });
    const limited = { limits, shield: { whenRunning } };
    const ask = await serve({ limits: () => limited, routes: { 'POST /orders': slow } });
    const first = order(ask, 'order-0001');
    await started.opened;
    return { first, second: order(ask, 'order-0001'), finish: finish.open };
  };

  it('a second call while the first one runs is told to come back', async () => {
    const { first, second, finish } = await overlapping('refuse');
    const busy = await second;
    expect([busy.status, busy.json['code']]).toEqual([409, 'idempotency_in_progress']);
    expect(busy.headers.get('retry-after')).toBe('1');
    finish();
    expect((await first).text).toBe('order 1');
  });

  it('a second call waits for the answer of the first, where that is wanted', async () => {
    const { first, second, finish } = await overlapping('wait');
    finish();
    expect([(await first).text, (await second).text]).toEqual(['order 1', 'order 1']);
  });

  it('what is too large is answered, and not kept', async () => {
    const large = counting((count) => ({ body: `${count}${'x'.repeat(200)}` }));
    const ask = await serve({
      limits: () => ({ limits, shield: { bytesMax: 100 } }),
      routes: { 'POST /orders': large },
    });
    expect((await order(ask, 'order-0001')).text).toHaveLength(201);
    expect((await order(ask, 'order-0001')).text.startsWith('2')).toBe(true);
  });

  it('there must be one where that is demanded, and it must be one', async () => {
    const ask = await serve({
      limits: () => ({ limits, shield: { required: true } }),
      routes: { 'POST /orders': counting(made), 'GET /orders': counting(made) },
    });
    const none = await ask('/orders', { method: 'POST' });
    expect([none.status, none.json['code']]).toEqual([400, 'idempotency_key_missing']);
    const bad = await order(ask, 'no!');
    expect([bad.status, bad.json['code']]).toEqual([400, 'invalid_idempotency_key']);
    expect((await ask('/orders')).status).toBe(201);
  });
});
