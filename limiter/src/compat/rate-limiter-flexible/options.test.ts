import { describe, expect, it } from 'vitest';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RateLimiterUnion } from './index.ts';

const numbers = { points: 5, duration: 10 };
const redis = { evalsha: () => {} };
const inProcess = (options: object) => new RateLimiterMemory({ ...numbers, ...options });
const onRedis = (options: object) =>
  new RateLimiterRedis({ ...numbers, storeClient: redis, ...options } as never);

describe('options of rate-limiter-flexible', () => {
  it.each([
    [{ execEvenly: true }, /^execEvenly: .*backpressure/],
    [{ execEvenlyMinDelayMs: 5 }, /^execEvenlyMinDelayMs: .*backpressure/],
    [{ duration: 0 }, /^duration: must be seconds, above 0/],
    [{ points: 0 }, /^points: must be between 1/],
    [{ points: 1.5 }, /^points: must be a whole number/],
    [{ blockDuration: -1 }, /^blockDuration: must be seconds/],
    [{ keyPrefix: 5 }, /^keyPrefix: must be a string/],
    [{ storeClient: redis }, /^storeClient: is not known/],
  ])('in process, what can not be used is refused by name: %o', (options, problem) => {
    expect(() => inProcess(options)).toThrow(problem);
  });

  it.each([
    [{ storeClient: {} }, /^storeClient: must be an ioredis client/],
    [
      { inMemoryBlockOnConsumed: 5, inMemoryBlockDuration: 9 },
      /^inMemoryBlockDuration: .*blockDur/,
    ],
    [{ blockOnConsumed: 9 }, /^blockOnConsumed: .*blockDuration alone/],
    [{ customIncrTtlLuaScript: 'return 1' }, /^customIncrTtlLuaScript: scripts are ours/],
    [{ useRedisPackage: true }, /^useRedisPackage: .*ioredis/],
    [{ insuranceLimiter: {} }, /^insuranceLimiter: must be a limiter/],
  ])('on Redis, what can not be used is refused by name: %o', (options, problem) => {
    expect(() => onRedis(options)).toThrow(problem);
  });

  it('what asks for nothing, or is not needed, is accepted', () => {
    const options = { execEvenly: false, blockOnConsumed: 0, inMemoryBlockOnConsumed: 5 };
    expect(onRedis({ ...options, rejectIfRedisNotReady: true })).toMatchObject({
      ...numbers,
      blockDuration: 0,
      keyPrefix: 'rlflx',
    });
  });
});

describe('what a call of rate-limiter-flexible is given', () => {
  it('is refused by name where it can not be used', async () => {
    const limiter = inProcess({});
    await expect(limiter.consume('a', 1, { customDuration: 5 })).rejects.toThrow(
      /^customDuration: /,
    );
    await expect(limiter.consume('a', -1)).rejects.toThrow(/^pointsToConsume: /);
    await expect(limiter.consume('')).rejects.toThrow(/^key: is empty/);
    await expect(limiter.consume(undefined as never)).rejects.toThrow(/^key: must give a text/);
    await expect(limiter.set('a', 1, 11)).rejects.toThrow(/^secDuration: .*up to 10/);
    await expect(limiter.block('a', 0)).rejects.toThrow(/^secDuration: /);
  });

  it('keys of any length and spelling count apart', async () => {
    const limiter = inProcess({});
    const keys = ['a'.repeat(5000), `${'a'.repeat(5000)}b`, '\uD800', '\uD801', 'sha256-'];
    for (const key of keys) expect(await limiter.consume(key)).toMatchObject({ consumedPoints: 1 });
  });

  it('two limiters in process count apart, even under one prefix', async () => {
    const [first, second] = [inProcess({}), inProcess({})];
    await first.consume('a', 5);
    expect(await second.get('a')).toBeNull();
  });
});

describe('RateLimiterUnion', () => {
  it('takes limiters of one place, each with a prefix of its own', () => {
    const [a, b] = [inProcess({ keyPrefix: 'a' }), inProcess({ keyPrefix: 'b' })];
    expect(() => new RateLimiterUnion(a, b)).not.toThrow();
    expect(() => new RateLimiterUnion()).toThrow(/^limiters: must be 1 to 64/);
    expect(() => new RateLimiterUnion(a, inProcess({ keyPrefix: 'a' }))).toThrow(/keyPrefix/);
    expect(() => new RateLimiterUnion(a, onRedis({ keyPrefix: 'c' }))).toThrow(/one place/);
    expect(() => new RateLimiterUnion(a, {} as never)).toThrow(/^limiters\[1\]: must be a limiter/);
    const insured = onRedis({ insuranceLimiter: a });
    expect(() => new RateLimiterUnion(insured)).toThrow(/^limiters\[0\]: has an insuranceLimiter/);
  });
});

it('a result is written as JSON', () => {
  const res = new RateLimiterRes(1, 2, 3, true);
  const plain = { remainingPoints: 1, msBeforeNext: 2, consumedPoints: 3, isFirstInDuration: true };
  expect([res.toJSON(), JSON.parse(String(res))]).toEqual([plain, plain]);
});
