import express from 'express';
import { createServer } from 'node:http';
import { rateLimit, type Options } from 'sluice/compat/express-rate-limit';
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { served } from '../middleware/frameworks/routes.ts';

const open: { close: () => Promise<void> }[] = [];
const redis = openRedis(inject('redisUrl'), { autoResendUnfulfilledCommands: false });
const keyGenerator = () => 'one caller';
const prefix = `erl-${process.pid}`;

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(() => redis.quit());

async function serve(options: Options): Promise<() => Promise<Response>> {
  const app = express().use(rateLimit({ keyGenerator, ...options }));
  app.get('/', (_req, res) => void res.send('ok'));
  const onError = (error: Error, _req: unknown, res: express.Response, _next: unknown) =>
    void res.status(500).send(error.name);
  app.use(onError as express.ErrorRequestHandler);
  const server = await served(createServer(app));
  open.push(server);
  return () => fetch(`${server.url}/`);
}

describe('express-rate-limit, options of: on Redis', () => {
  it('all processes with one prefix count together, others apart', async () => {
    const shared = { redis, prefix: `${prefix}-shared`, limit: 2 };
    const [first, second] = [await serve(shared), await serve(shared)];
    const apart = await serve({ ...shared, prefix: `${prefix}-apart` });
    expect((await first()).status).toBe(200);
    expect((await second()).headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await first()).status).toBe(429);
    expect((await apart()).headers.get('x-ratelimit-remaining')).toBe('1');
  });

  it('of a hundred calls at once as many pass as may', async () => {
    const ask = await serve({ redis, prefix: `${prefix}-race`, limit: 30 });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
  });

  it('what should not count is given back', async () => {
    const options = { redis, prefix: `${prefix}-back`, limit: 1, skipSuccessfulRequests: true };
    const ask = await serve(options);
    const limit = rateLimit(options);
    expect((await ask()).status).toBe(200);
    await vi.waitFor(async () => {
      expect(await limit.getKey('one caller')).toMatchObject({ totalHits: 0 });
    }, 20_000);
    expect((await ask()).status).toBe(200);
  });
});

describe('express-rate-limit, options of: when Redis is away', () => {
  // Nobody listens there; nothing is queued for when somebody does.
  const away = openRedis('redis://127.0.0.1:1', {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => null,
  });
  afterAll(() => away.disconnect());

  it('is an error, as with any store of express-rate-limit', async () => {
    const ask = await serve({ redis: away });
    const answer = await ask();
    expect([answer.status, await answer.text()]).toEqual([500, 'StoreFailure']);
  });

  it('is passed over with passOnStoreError, and told to the logger', async () => {
    const logger = { warn: vi.fn<() => void>(), error: vi.fn<() => void>() };
    const ask = await serve({ redis: away, passOnStoreError: true, logger });
    expect((await ask()).status).toBe(200);
    expect(logger.error).toHaveBeenCalledOnce();
  });
});
