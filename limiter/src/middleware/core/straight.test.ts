import { describe, expect, it, vi } from 'vitest';
import { createLimiter } from '../../limiter/create-limiter.ts';
import { fixedWindow } from '../../limiter/limits.ts';
import { rateLimit, rateLimitOf, type FetchRateLimitOptions } from '../fetch/index.ts';

const limits = [fixedWindow({ name: 'hour', limit: 3, window: '1 h' })];
const user = (request: Request) => request.headers.get('x-user');

function handlerOf(options: Partial<FetchRateLimitOptions>) {
  const handler = rateLimit({ limits, by: { user }, ...options }, () => new Response('ok'));
  return async (name: string) => {
    const answer = await handler(new Request('http://localhost/', { headers: { 'x-user': name } }));
    const told = (field: string) => answer.headers.get(field);
    const state = told('ratelimit')?.replace(/;t=\d+$/, '');
    return [answer.status, told('x-ratelimit-remaining'), state];
  };
}

describe('options that ask for nothing but who calls', () => {
  it('who calls is asked once for each request, whatever becomes of it', async () => {
    const by = { user: vi.fn<typeof user>(user) };
    const call = handlerOf({ by });
    for (let calls = 1; calls <= 5; calls += 1) {
      await call('ann');
      expect(by.user).toHaveBeenCalledTimes(calls);
    }
  });

  it('each caller is told what is left to it, up to its refusal', async () => {
    const call = handlerOf({});
    const ann = [await call('ann'), await call('ann')];
    const bob = [await call('bob')];
    ann.push(await call('ann'), await call('ann'));
    bob.push(await call('bob'));
    expect(ann).toEqual([
      [200, '2', '"hour";r=2'],
      [200, '1', '"hour";r=1'],
      [200, '0', '"hour";r=0'],
      [429, '0', '"hour";r=0'],
    ]);
    expect(bob).toEqual([
      [200, '2', '"hour";r=2'],
      [200, '1', '"hour";r=1'],
    ]);
  });

  it('limits of one name and other sizes are not told as each other', async () => {
    const small = handlerOf({
      limits: [fixedWindow({ name: 'hour', limit: 1025, window: '1 h' })],
    });
    const large = handlerOf({
      limits: [fixedWindow({ name: 'hour', limit: 2049, window: '1 h' })],
    });
    // What is left of both is told at the same place.
    for (const _ of [1, 2, 3]) {
      expect(await small('ann')).not.toEqual(await large('ann'));
    }
    expect(await small('ann')).toEqual([200, '1021', '"hour";r=1021']);
    expect(await large('ann')).toEqual([200, '2045', '"hour";r=2045']);
  });

  it('a limit that only watches is counted once', async () => {
    const watched = fixedWindow({ name: 'hour', limit: 9, window: '1 h', mode: 'shadow' });
    const used: unknown[] = [];
    const handler = rateLimit({ limits: [watched], by: { user } }, (request) => {
      used.push(rateLimitOf(request)?.decision.limits[0]?.used);
      return new Response('ok');
    });
    const headers = { 'x-user': 'ann' };
    for (const _ of [1, 2, 3, 4]) await handler(new Request('http://localhost/', { headers }));
    expect(used).toEqual([1, 2, 3, 4]);
  });

  it('whoever takes the place of a check is asked', async () => {
    const limiter = createLimiter({ limits });
    const handler = rateLimit({ limiter, by: { user } }, () => new Response('ok'));
    const call = () => handler(new Request('http://localhost/', { headers: { 'x-user': 'ann' } }));
    await call();
    await call();
    const asked = vi.spyOn(limiter, 'checkSync');
    await call();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
