import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { concurrency, createLimiter, fixedWindow, type LimitInput } from 'sluice';
import { gate, inEveryFramework, ok, statuses, type Asker } from './rig.ts';

const open = concurrency({ name: 'open', maxConcurrent: 1, staleAfter: '1 min' });

/** What a limiter has counted of one limit, without touching it. */
const usedOf = async (limiter: ReturnType<typeof limiterOf>, resource: string, name: string) => {
  const subject = 'ip:127.0.0.1';
  const { limits } = await limiter.check({ resource, subject, cost: 0, costs: { tokens: 0 } });
  return limits.find((limit) => limit.name === name)?.used;
};

const limiterOf = (...limits: readonly LimitInput[]) => createLimiter({ limits });

/** Asks, and hangs up as soon as it is told to. */
async function askAndLeave(ask: Asker, path: string, leave: Promise<void>): Promise<void> {
  const { hostname, port } = new URL(ask.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`);
  await leave;
  socket.destroy();
}

inEveryFramework('an open call', ({ clock, serve }) => {
  it('is counted until its response has ended, whatever it was', async () => {
    const started = gate();
    const finish = gate();
    const limiter = limiterOf(open);
    const ask = await serve({
      limits: () => ({ limiter, onError: () => {} }),
      routes: {
        'GET /slow': async () => {
          started.open();
          await finish.opened;
          return { body: 'done' };
        },
        'GET /fails': () => {
          throw new Error('broken');
        },
      },
    });
    const slow = ask('/slow');
    await started.opened;
    expect((await ask('/slow')).status).toBe(429);
    finish.open();
    expect((await slow).text).toBe('done');
    await vi.waitFor(async () => expect((await ask('/slow')).status).toBe(200));
    expect((await ask('/fails')).status).toBe(500);
    await vi.waitFor(async () => expect((await ask('/fails')).status).toBe(500));
  });

  it('ends when the caller goes away', async () => {
    const started = gate();
    const never = gate();
    const ask = await serve({
      limits: () => ({ limiter: limiterOf(open) }),
      routes: {
        'GET /slow': async ({ header }) => {
          if (header('x-quick') !== undefined) return { body: 'quick' };
          started.open();
          await never.opened;
          return { body: 'never' };
        },
      },
    });
    await askAndLeave(ask, '/slow', started.opened);
    const quick = { headers: { 'x-quick': 'yes' } };
    await vi.waitFor(async () => expect((await ask('/slow', quick)).status).toBe(200));
    never.open();
  });

  it('keeps its slot when a retry under its idempotency key ends sooner', async () => {
    const started = gate();
    const finish = gate();
    const ask = await serve({
      limits: () => ({ limits: [open], idempotencyKey: true }),
      routes: {
        'POST /slow': async ({ header }) => {
          if (header('x-quick') !== undefined) return { body: 'quick' };
          started.open();
          await finish.opened;
          return { body: 'slow' };
        },
      },
    });
    const post = (headers: Record<string, string>) => ask('/slow', { method: 'POST', headers });
    const slow = post({ 'idempotency-key': 'order-0001' });
    await started.opened;
    expect((await post({ 'idempotency-key': 'order-0001', 'x-quick': '1' })).text).toBe('quick');
    expect((await post({ 'idempotency-key': 'order-0002', 'x-quick': '1' })).status).toBe(429);
    finish.open();
    expect((await slow).text).toBe('slow');
  });

  it('says that it is still at it for as long as it lasts', async () => {
    const finish = gate();
    const limiter = createLimiter({ limits: [open], clock: clock.read });
    const beats = vi.spyOn(limiter, 'heartbeat');
    const ask = await serve({
      limits: () => ({ limiter, heartbeatMs: 10 }),
      routes: {
        'GET /slow': async () => {
          await finish.opened;
          return {};
        },
      },
    });
    const slow = ask('/slow');
    // Together twice as long as a silent ticket lives.
    for (let step = 0; step < 3; step += 1) {
      const before = beats.mock.calls.length;
      await vi.waitFor(() => expect(beats.mock.calls.length).toBeGreaterThan(before + 1), 10_000);
      clock.advanceMs(40_000);
    }
    expect((await ask('/slow')).status).toBe(429);
    finish.open();
    await slow;
  });
});

inEveryFramework('a reservation', ({ serve }) => {
  const tokens = fixedWindow({ name: 'tokens', unit: 'tokens', limit: 100, window: '1 h' });

  it('is settled at what the handler says it cost', async () => {
    const limiter = limiterOf(tokens);
    const ask = await serve({
      limits: () => ({ limiter, costs: { tokens: 60 }, reserve: { ttlMs: 60_000 } }),
      routes: {
        'GET /a': async ({ rateLimit }) => {
          await rateLimit()?.settle({ costs: { tokens: 7 } });
          return { body: 'done' };
        },
      },
    });
    expect((await ask('/a')).status).toBe(200);
    expect(await usedOf(limiter, 'GET:/a', 'tokens')).toBe(7);
  });

  it('is settled when the response has ended, by a function of it, else at what was reserved', async () => {
    const limiter = limiterOf(tokens);
    const ask = await serve({
      limits: () => ({
        limiter,
        costs: { tokens: 40 },
        reserve: { ttlMs: 60_000 },
        routes: {
          'GET:/told': {
            reserve: {
              ttlMs: 60_000,
              settle: ({ status }) => ({ costs: { tokens: status === 201 ? 3 : 0 } }),
            },
          },
        },
      }),
      routes: { 'GET /told': () => ({ status: 201 }), 'GET /untold': ok },
    });
    await statuses(ask, '/told', '/untold');
    await vi.waitFor(async () => expect(await usedOf(limiter, 'GET:/told', 'tokens')).toBe(3));
    expect(await usedOf(limiter, 'GET:/untold', 'tokens')).toBe(40);
  });
});

inEveryFramework('what should not count', ({ serve }) => {
  it('is given back by what became of it', async () => {
    const limiter = limiterOf(fixedWindow({ name: 'failures', limit: 2, window: '1 h' }));
    const ask = await serve({
      limits: () => ({ limiter, refundIf: ({ status }) => status < 400 }),
      routes: { 'POST /login': ({ header }) => ({ status: header('x-right') ? 200 : 401 }) },
    });
    const login = (right: boolean) =>
      ask('/login', { method: 'POST', headers: right ? { 'x-right': '1' } : {} });
    for (let call = 0; call < 5; call += 1) {
      expect((await login(true)).status).toBe(200);
      await vi.waitFor(async () =>
        expect(await usedOf(limiter, 'POST:/login', 'failures')).toBe(0),
      );
    }
    expect([(await login(false)).status, (await login(false)).status]).toEqual([401, 401]);
    expect((await login(false)).status).toBe(429);
  });
});

inEveryFramework('who listens to decisions', ({ serve }) => {
  it('may fail, and is told of; the call goes on and its slot comes back', async () => {
    const limiter = limiterOf(concurrency({ maxConcurrent: 1, staleAfter: '1 h' }));
    const heard: unknown[] = [];
    const broken = new Error('the listener is broken');
    const onDecision = () => {
      throw broken;
    };
    const ask = await serve({
      limits: () => ({ limiter, onDecision, onError: (error) => heard.push(error) }),
      routes: { 'GET /': ok },
    });
    for (let call = 0; call < 2; call += 1) {
      await vi.waitFor(async () => expect((await ask('/')).status).toBe(200));
    }
    expect(heard).toContain(broken);
  });
});

inEveryFramework('the delay that a limit advises', ({ serve }) => {
  const slowing = (maxDelayMs: number) =>
    fixedWindow({
      limit: 10,
      window: '1 h',
      backpressure: { from: 0, maxDelayMs, curve: 'linear' },
    });

  it('is held where that is wanted, and only advised where not', async () => {
    const advised: number[] = [];
    const ask = await serve({
      limits: () => ({
        limits: [slowing(10_000)],
        cost: 10,
        routes: { 'GET:/held': { delay: 'hold', limits: [slowing(100)] } },
      }),
      routes: {
        'GET /held': ok,
        'GET /advised': ({ rateLimit }) => {
          advised.push(rateLimit()?.decision.delayMs ?? 0);
          return {};
        },
      },
    });
    const startedMs = performance.now();
    await ask('/advised');
    expect(advised[0]).toBeGreaterThan(8000);
    expect(performance.now() - startedMs).toBeLessThan(8000);
    const heldMs = performance.now();
    expect((await ask('/held')).status).toBe(200);
    // A timer may be early by a millisecond.
    expect(performance.now() - heldMs).toBeGreaterThanOrEqual(99);
  });

  it('holds nobody who went away, and its slot is free at once', async () => {
    let handled = 0;
    const limiter = limiterOf(slowing(10_000), open);
    const ask = await serve({
      limits: () => ({ limiter, cost: 5, delay: 'hold' }),
      routes: { 'GET /held': () => ({ body: String((handled += 1)) }) },
    });
    const asked = gate();
    const check = vi.spyOn(limiter, 'checkSync').mockImplementationOnce((question) => {
      check.mockRestore();
      setTimeout(asked.open, 20);
      return limiter.checkSync(question);
    });
    await askAndLeave(ask, '/held', asked.opened);
    await vi.waitFor(async () => expect(await usedOf(limiter, 'GET:/held', 'open')).toBe(0), 3000);
    expect(handled).toBe(0);
  });
});
