import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { fixedWindow } from 'sluice';
import { rateLimit as forFastify } from 'sluice/fastify';
import { rateLimit as forFetch } from 'sluice/fetch';
import { createTestLimiter, expectAllowed, expectLimited, FakeClock } from 'sluice/testing';

const one = fixedWindow({ limit: 1, window: '1 min', align: 'first_request' });

describe('the testing kit', () => {
  it('moves time by hand, to the microsecond', async () => {
    const { limiter, advance, clock } = createTestLimiter(one);
    const check = { resource: 'r', subject: 's' };
    expect((await limiter.check(check)).allowed).toBe(true);
    const { allowed, retryAfterMs } = await limiter.check(check);
    expect([allowed, retryAfterMs]).toEqual([false, 60_000]);
    advance('59.999 s');
    expect((await limiter.check(check)).allowed).toBe(false);
    advance(1);
    expect((await limiter.check(check)).allowed).toBe(true);
    expect(clock.now).toEqual(new Date(Date.UTC(2026, 0, 15, 12, 1)));
    expect(() => advance('soon' as never)).toThrow(/duration/);
  });

  it('looks at a response of fetch', async () => {
    const clock = new FakeClock();
    const options = {
      limits: [one],
      clock: clock.clock,
      by: { route: true },
      route: '/a',
    } as const;
    const handler = forFetch(options, () => new Response('ok'));
    const ask = () => handler(new Request('http://localhost/a'));
    expectAllowed(await ask(), { status: 200, limit: 1, remaining: 0, retryAfterSeconds: 0 });
    expectLimited(await ask(), { remaining: 0, retryAfterSeconds: 60 });
    clock.advance('1 min');
    const allowed = await ask();
    expectAllowed(allowed);
    expect(() => expectLimited(allowed)).toThrow('expected status 429, got 200');
    expect(() => expectAllowed(allowed, { remaining: 7 })).toThrow(/remaining to be 7, got 0/);
  });

  it('looks at what Fastify injects', async () => {
    const app = Fastify();
    await app.register(forFastify, { limits: [one], clock: new FakeClock().clock });
    app.get('/a', () => 'ok');
    expectAllowed(await app.inject('/a'), { remaining: 0 });
    const refused = await app.inject('/a');
    expectLimited(refused, { limit: 1, retryAfterSeconds: 60 });
    expect(() => expectAllowed(refused)).toThrow('expected status any but 429, got 429');
    await app.close();
  });

  it('looks at plain headers, as supertest has them', () => {
    const response = { status: 503, headers: { 'retry-after': '9', 'ratelimit-limit': 5 } };
    expectLimited(response, { status: 503, retryAfterSeconds: 9, limit: 5 });
    expect(() => expectLimited(response, { status: 503, remaining: 1 })).toThrow(/got none/);
  });
});
