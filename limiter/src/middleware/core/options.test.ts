import { describe, expect, it } from 'vitest';
import { fixedWindow } from '../../limiter/limits.ts';
import { createLimiter } from '../../limiter/create-limiter.ts';
import { rateLimit } from '../fetch/index.ts';

const limits = [fixedWindow({ limit: 1, window: '1 min' })];
const ok = () => new Response('ok');

describe('options are looked at when the program starts', () => {
  it.each([
    [{}, /limits: say what is limited/],
    [{ limits, windowMs: 5 }, /windowMs: is not known here/],
    [{ limits, by: {} }, /by: names nothing/],
    [{ limits, by: { users: () => 'x' } }, /by\.users: is not known/],
    [{ limits, by: { user: 'ann' } }, /by\.user: must be a function/],
    [{ limits, by: { attributes: { ip: () => 'x' } } }, /by\.attributes\.ip: must have a name/],
    [{ limits, onMissing: 'allow' }, /onMissing: must be one of/],
    [{ limits, trustProxy: true }, /trustProxy: .*to trust everybody is to trust nobody/],
    [{ limits, ipv6Prefix: 0 }, /ipv6Prefix/],
    [{ limits, routes: { 'GET:/a': { cots: 1 } } }, /routes\["GET:\/a"\]\.cots/],
    [{ limits, delay: 'wait' }, /delay/],
    [{ limits, group: '' }, /group/],
    [{ limits, reserve: { ttl: 5 } }, /reserve\.ttl/],
    [{ limits, holdMsMax: -1 }, /holdMsMax/],
    [{ limits, shield: { keep: 5 } }, /shield\.keep/],
    [{ limits, shield: { whenRunning: 'queue' } }, /shield\.whenRunning/],
    [{ limiter: createLimiter({ limits }), limits }, /limits: is said where the limiter is made/],
    [{ limiter: 5 }, /limiter: must be a limiter/],
    [{ limits: [{ algorithm: 'fixed_window', limit: 0, window: '1 s' }] }, /limits\[0\]\.limit/],
  ])('%#: %j', (options, problem) => {
    expect(() => rateLimit(options as never, ok)).toThrow(problem);
  });
});

describe('a limiter that takes no further limits', () => {
  it('says so where a route has some', async () => {
    const limiter = Object.assign(createLimiter({ limits }), { with: undefined as never });
    const routes = { 'GET:/a': { limits } };
    const handler = rateLimit({ limiter, by: { route: true }, route: '/a', routes }, ok);
    await expect(handler(new Request('http://localhost/a'))).rejects.toThrow(
      /limits: this limiter/,
    );
  });
});
