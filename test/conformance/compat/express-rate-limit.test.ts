import type { Request, Response } from 'express';
import { rateLimit as theirs } from 'express-rate-limit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { both, expresses, holdTime, sideBySide, type Case } from './side-by-side.ts';

const root = '/';
const four = [root, root, root, root];
const minute = { windowMs: 60_000, limit: 2 };
const fromUser = (req: Request) => req.get('x-user') ?? 'nobody';

/** What both are told; they must agree on every answer to these calls. */
const agreed: Record<string, Case & { readonly calls?: readonly string[] }> = {
  'the defaults': { options: () => ({}), calls: Array<string>(7).fill(root) },
  'legacy headers': { options: () => minute },
  'draft-6, by true': {
    options: () => ({ ...minute, standardHeaders: true, legacyHeaders: false }),
  },
  'draft-6': { options: () => ({ ...minute, standardHeaders: 'draft-6' }) },
  'draft-7': { options: () => ({ ...minute, standardHeaders: 'draft-7', legacyHeaders: false }) },
  'draft-8': { options: () => ({ ...minute, standardHeaders: 'draft-8', legacyHeaders: false }) },
  'draft-8 of hours': { options: () => ({ windowMs: 7_200_000, standardHeaders: 'draft-8' }) },
  'draft-8 with a name': {
    options: () => ({ ...minute, standardHeaders: 'draft-8', identifier: () => 'search' }),
  },
  'no headers': { options: () => ({ ...minute, legacyHeaders: false }) },
  'a Retry-After of its own': { options: () => ({ ...minute, retryAfter: () => 7 }) },
  max: { options: () => ({ windowMs: 60_000, max: 1 }) },
  'a limit by function': {
    options: () => ({ windowMs: 60_000, limit: async (req) => Number(req.query['limit']) }),
    calls: ['/?limit=2', '/?limit=3', '/?limit=2', '/?limit=1'],
  },
  'a limit of 0': { options: () => ({ windowMs: 60_000, limit: 0 }), calls: [root] },
  'a message as object': { options: () => ({ ...minute, message: { error: 'slow down' } }) },
  'a message by function': { options: () => ({ ...minute, message: async () => 'not now' }) },
  'another status': { options: () => ({ ...minute, statusCode: 503 }) },
  'another property': {
    options: () => ({ ...minute, requestPropertyName: 'calls' }),
    property: 'calls',
  },
  'a handler that answers': {
    options: () => ({
      ...minute,
      handler: (_req, res, _next, { statusCode, windowMs }) =>
        void res.status(statusCode).json({ windowMs }),
    }),
  },
  'a handler that lets through': {
    options: () => ({ ...minute, handler: (_q, _s, next) => next() }),
  },
  skip: {
    options: () => ({ ...minute, skip: (req) => req.path === '/health' }),
    calls: ['/health', root, root, root, '/health'],
  },
  'failed requests skipped': {
    options: () => ({ ...minute, skipFailedRequests: true }),
    calls: ['/?status=500', '/?status=404', root, '/?status=500', root, root],
  },
  'successful requests skipped': {
    options: () => ({ ...minute, skipSuccessfulRequests: true }),
    calls: [root, root, root, '/?status=401', root, '/?status=401', root],
  },
  'success by function': {
    options: () => ({
      ...minute,
      skipFailedRequests: true,
      requestWasSuccessful: (_req, res) => res.statusCode !== 404,
    }),
    calls: ['/?status=404', '/?status=404', '/?status=500', '/?status=500', root],
  },
  'two of them with draft-8': {
    options: () => ({ ...minute, standardHeaders: 'draft-8' }),
    around: (app) => {
      const first = { windowMs: 1000, limit: 9, standardHeaders: 'draft-8' as const };
      app.use(theirs({ ...first, keyGenerator: () => 'all', validate: false }));
    },
  },
};

/** Where Express 4 could differ from 5, and no more: each takes two servers. */
const inExpress4 = ['draft-8', 'a message by function', 'a handler that lets through'].concat([
  'failed requests skipped',
  'two of them with draft-8',
]);

describe.each(expresses)('$name: options of express-rate-limit', ({ name, make }) => {
  const serve = sideBySide(make);
  beforeEach(holdTime);
  afterEach(() => {
    vi.useRealTimers();
  });

  const cases = Object.entries(agreed).filter(
    ([about]) => name === 'express 5' || inExpress4.includes(about),
  );
  it.each(cases)('are answered as by itself: %s', async (_name, about) => {
    const answers = await both(await serve(about), about.calls ?? four);
    expect(withoutUsed(answers.ours)).toEqual(withoutUsed(answers.theirs));
  });

  it('windows begin with the first call and end together', async () => {
    const pair = await serve({ options: () => ({ ...minute, standardHeaders: 'draft-6' }) });
    for (const ms of [0, 400, 58_600, 999, 1, 59_999, 1]) {
      vi.advanceTimersByTime(ms);
      const answers = await both(pair, [root]);
      expect(answers.ours).toEqual(answers.theirs);
    }
  });

  it('keys are the same, for IPv4, mapped IPv4 and networks of IPv6', async () => {
    for (const ipv6Subnet of [undefined, 48, 64, false] as const) {
      const pair = await serve({
        options: () => ({ limit: 9, ...(ipv6Subnet !== undefined && { ipv6Subnet }) }),
        around: (app) => app.set('trust proxy', 1),
      });
      for (const from of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1:2ff:3:4:5:6', '::1']) {
        const headers = { 'x-forwarded-for': from };
        expect(await pair.ours(root, headers)).toEqual(await pair.theirs(root, headers));
      }
    }
  });

  it('a key of its own is read and reset by it', async () => {
    const { limits, ...pair } = await serve({ options: () => ({ keyGenerator: fromUser }) });
    const { resetKey, getKey } = limits.ours;
    expect(await getKey('ada')).toEqual(await limits.theirs.getKey('ada'));
    for (const user of ['ada', 'ada', 'bob']) {
      await Promise.all([pair.ours, pair.theirs].map((ask) => ask(root, { 'x-user': user })));
    }
    expect(await getKey('ada')).toEqual(await limits.theirs.getKey('ada'));
    await resetKey('ada');
    expect(await getKey('ada')).toBeUndefined();
    expect(await getKey('bob')).toMatchObject({ totalHits: 1 });
  });

  it('knowingly apart: a refused call is seen once and charges nothing', async () => {
    const handler = (req: Request, res: Response) =>
      void res.json((req as Request & { rateLimit: unknown }).rateLimit);
    const { limits, ...pair } = await serve({ options: () => ({ ...minute, handler }) });
    const answers = await both(pair, [...four, root]);
    const used = (from: readonly { body: string }[]) =>
      from.map(({ body }) => (JSON.parse(body) as { used: number }).used);
    expect(used(answers.theirs)).toEqual([1, 2, 3, 4, 5]);
    expect(used(answers.ours)).toEqual([1, 2, 3, 3, 3]);
    expect(await limits.theirs.getKey('127.0.0.1')).toMatchObject({ totalHits: 5 });
    expect(await limits.ours.getKey('127.0.0.1')).toMatchObject({ totalHits: 2 });
  });

  it('knowingly apart: a key that is undefined is an error, not a counter that all share', async () => {
    const keyGenerator = () => undefined as unknown as string;
    const pair = await serve({ options: () => ({ ...minute, keyGenerator }) });
    expect(await pair.theirs()).toMatchObject({ status: 200 });
    expect(await pair.ours()).toMatchObject({ status: 500 });
  });
});

/** Of a handler that lets refused calls through, all but how often they were counted. */
function withoutUsed(answers: readonly { body: string }[]): object[] {
  return answers.map((answer) => ({
    ...answer,
    body: answer.body.replace(/"used":(3|4),/, '"used":"above the limit",'),
  }));
}
