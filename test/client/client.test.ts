import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLimiter, IdempotencyConflict, InvalidInput, StoreFailure, toHeaders } from 'sluice';
import { createClient, type ClientOptions } from 'sluice/client';
import { onEveryStack } from '../platform/rig/stacks.ts';

const check = { resource: 'GET:/orders', subject: 'user:42' };
const three = { name: 'three', algorithm: 'fixed_window', limit: 3, window_seconds: 3600 };

onEveryStack(
  'a client of the service',
  (rig) => {
    const scopes = ['check', 'settle', 'refund', 'plan:select'];
    const clientOf = (apiKey: ClientOptions['apiKey'], more: Partial<ClientOptions> = {}) =>
      createClient({ url: rig.node.url, apiKey, deadlineMs: 5000, ...more });

    it('is told what a limiter in process would say, in the same words', async () => {
      const { key } = await rig.client.makeTenant({ limits: [three] });
      const client = clientOf(key);
      const limiter = createLimiter({
        limits: [{ algorithm: 'fixed_window', name: 'three', limit: 3, window: '1 h' }],
      });
      const seen = [];
      for (let call = 0; call < 4; call += 1) {
        const [there, here] = [await client.check(check), await limiter.check(check)];
        expect(Object.keys(there)).toEqual(Object.keys(here.toJSON()));
        expect(Object.isFrozen(there)).toBe(true);
        expect(Object.keys(there.limits[0] ?? {})).toEqual(Object.keys(here.limits[0] ?? {}));
        expect([there.allowed, there.remaining]).toEqual([here.allowed, here.remaining]);
        seen.push(there.allowed);
      }
      expect(seen).toEqual([true, true, true, false]);
    });

    it('speaks a decision as headers, without what JSON does not tell', async () => {
      const { key } = await rig.client.makeTenant({ limits: [three] });
      const decision = await clientOf(key).check(check);
      const headers = toHeaders(decision);
      expect(headers['X-RateLimit-Remaining']).toBe('2');
      expect(headers['RateLimit-Policy']).toBe('"three";q=3');
      expect(headers['RateLimit']).toMatch(/^"three";r=2;t=\d+$/);
    });

    it('asks for all checks of one turn at once, and each gets its own answer', async () => {
      const { key } = await rig.client.makeTenant({ limits: [three] });
      const paths: string[] = [];
      const counting: ClientOptions['fetch'] = (url, init) => {
        paths.push(new URL(url).pathname);
        return fetch(url, init);
      };
      const client = clientOf(key, { fetch: counting });
      const subjects = ['a', 'b', 'a', 'a', 'a', 'b'];
      const decisions = await Promise.all(
        subjects.map((subject) => client.check({ ...check, subject })),
      );
      expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 2, 1, 0, 0, 1]);
      expect(decisions.map(({ allowed }) => allowed)).toEqual([
        true,
        true,
        true,
        true,
        false,
        true,
      ]);
      expect(paths).toEqual(['/v1/checks']);
      await client.check(check);
      expect(paths).toEqual(['/v1/checks', '/v1/check']);
    });

    it('settles, refunds, releases and beats as a limiter does', async () => {
      const { key } = await rig.client.makeTenant({
        limits: [
          {
            name: 'tokens',
            unit: 'tokens',
            algorithm: 'fixed_window',
            limit: 100,
            window_seconds: 3600,
          },
          { name: 'open', algorithm: 'concurrency', max_concurrent: 1, stale_after_seconds: 60 },
        ],
        scopes,
      });
      const client = clientOf(key);
      const reserved = await client.check({
        ...check,
        costs: { tokens: 60 },
        reserve: { ttlMs: 30_000 },
      });
      const id = reserved.reservation?.id ?? '';
      expect(await client.heartbeat({ reservationId: id, ttlMs: 30_000 })).toBe(true);
      expect(await client.settle(id, { costs: { tokens: 10 } })).toMatchObject({
        kind: 'settled',
        late: false,
        costs: { tokens: 10 },
      });
      expect(await client.settle(id, { costs: { tokens: 10 } })).toMatchObject({
        kind: 'repeated',
      });
      expect(await client.settle('nobodys', { cost: 1 })).toEqual({ kind: 'unknown' });
      expect((await client.check({ ...check, costs: { tokens: 1 } })).allowed).toBe(false);
      expect(await client.release(reserved.ticket ?? '')).toBe(true);
      expect(await client.release(reserved.ticket ?? '')).toBe(false);
      const charged = await client.check({ ...check, costs: { tokens: 90 } });
      expect([charged.allowed, await client.refund(charged)]).toEqual([true, true]);
      expect(await client.refund(charged)).toBe(false);
    });

    it('throws what the caller did wrong, as a limiter does', async () => {
      const { key } = await rig.client.makeTenant({ limits: [three] });
      const client = clientOf(key);
      await expect(client.check({ ...check, cost: -1 })).rejects.toThrow(InvalidInput);
      await expect(client.check({ ...check, plan: 'gold' })).rejects.toThrow(/plan/);
      const idempotencyKey = 'retry-0001';
      await client.check({ ...check, idempotencyKey });
      expect((await client.check({ ...check, idempotencyKey })).replayed).toBe(true);
      await expect(client.check({ ...check, cost: 2, idempotencyKey })).rejects.toThrow(
        IdempotencyConflict,
      );
    });

    it('chooses a plan by the name that the program knows it by', async () => {
      const { key, id } = await rig.client.makeTenant({ limits: [three], scopes });
      const limits = [{ ...three, limit: 7 }];
      const { id: planId } = await rig.client.change('POST', 'plans', {
        tenant_id: id,
        name: 'big',
        limits,
      });
      const client = clientOf(key, { plans: { big: planId } });
      expect((await client.check({ ...check, plan: 'big' })).limit).toBe(7);
      expect((await clientOf(key, { plan: planId }).check(check)).limit).toBe(7);
    });

    it('keeps tenants of its own apart under one key, and gives each its own where it has one', async () => {
      const one = await rig.client.makeTenant({ limits: [three] });
      const two = await rig.client.makeTenant({ limits: [three] });
      const shared = clientOf(one.key);
      expect((await shared.check({ ...check, tenant: 'acme' })).remaining).toBe(2);
      expect((await shared.check({ ...check, tenant: 'beta' })).remaining).toBe(2);
      const keys: Record<string, string> = { acme: one.key, beta: two.key };
      const own = clientOf((tenant) => keys[tenant] ?? '');
      expect((await own.check({ ...check, tenant: 'beta' })).remaining).toBe(2);
      expect((await own.check({ ...check, tenant: 'beta' })).remaining).toBe(1);
      await expect(own.check({ ...check, tenant: 'gamma' })).rejects.toThrow(/apiKey/);
    });

    it('decides by its policy where its key is not accepted, and says why', async () => {
      const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
      const client = clientOf('slk_nobodys', { onStoreFailure: 'closed' });
      for (let time = 0; time < 2; time += 1) {
        expect(await client.check(check)).toMatchObject({
          allowed: false,
          basis: 'fail_closed',
          degradedReason: 'unauthenticated',
          blockedBy: { reason: 'unavailable' },
        });
      }
      const said = JSON.stringify(warned.mock.calls);
      warned.mockRestore();
      // Once, and without the key.
      expect(said.match(/SLUICE_KEY/g)).toHaveLength(1);
      expect(said).toMatch(/The API key of this client is not accepted/);
      expect(said).not.toContain('slk_');
    });
  },
  { kinds: ['embedded, memory'] },
);

describe('a service that fails', () => {
  const open: Server[] = [];
  afterEach(async () => {
    await Promise.all(
      open.splice(0).map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  });
  const serve = async (answer: RequestListener) => {
    const server = createServer(answer);
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it.each([
    ['open', true, 'fail_open'],
    ['closed', false, 'fail_closed'],
  ] as const)(
    'is a decision in time, by the policy: %s',
    async (onStoreFailure, allowed, basis) => {
      const url = await serve(() => {});
      const client = createClient({ url, apiKey: 'slk_x', deadlineMs: 30, onStoreFailure });
      expect(await client.check(check)).toMatchObject({
        allowed,
        basis,
        degradedReason: 'timeout',
        limits: [],
        ticket: null,
      });
    },
  );

  it.each([
    ['unreachable', 0, ''],
    ['unavailable', 503, '{"status":503,"code":"unavailable","detail":"","title":"","type":""}'],
    ['http_502', 502, '<html>'],
    ['unreadable', 200, '<html>'],
    ['unreadable', 200, '{"allowed":true}'],
  ])('says how: %s', async (reason, status, body) => {
    const url = await serve((_request, response) => {
      if (status === 0) response.destroy();
      else response.writeHead(status).end(body);
    });
    const client = createClient({ url, apiKey: 'slk_x', deadlineMs: 5000 });
    expect(await client.check(check)).toMatchObject({ basis: 'fail_open', degradedReason: reason });
    await expect(client.release('ticket')).rejects.toThrow(StoreFailure);
  });

  it('is not asked for a while once it has failed often', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.destroy();
    });
    const client = createClient({ url, apiKey: 'slk_x', deadlineMs: 5000 });
    const reasons = new Set<string | null>();
    for (let call = 0; call < 30; call += 1)
      reasons.add((await client.check(check)).degradedReason);
    expect(reasons).toEqual(new Set(['unreachable', 'breaker_open']));
    expect(asked).toBeLessThan(30);
  });

  it('whose answer comes too late gets back what it holds', async () => {
    const released: unknown[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const url = await serve((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => (body += String(chunk)));
      incoming.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (incoming.url === '/v1/release') {
          released.push(JSON.parse(body));
          response.end('{"released":true}');
          return;
        }
        const late = { ...lateDecision, ticket: 'ticket-1' };
        void answered.then(() => response.end(JSON.stringify(late)));
      });
    });
    const client = createClient({ url, apiKey: 'slk_x', deadlineMs: 20 });
    expect((await client.check(check)).degradedReason).toBe('timeout');
    answer();
    await vi.waitFor(() => expect(released).toEqual([{ ticket: 'ticket-1' }]), 5000);
  });
});

const lateDecision = {
  allowed: true,
  costs: {},
  blocked_by: null,
  would_block: [],
  adaptive: { factor: 1, reason: null },
  reservation: null,
  limits: [],
};

describe('a client', () => {
  it.each([
    [{ url: 'nowhere', apiKey: 'k' }, /url/],
    [{ url: 'http://user:secret@host', apiKey: 'k' }, /url/],
    [{ url: 'http://127.0.0.1', apiKey: '' }, /apiKey/],
    [{ url: 'http://127.0.0.1', apiKey: 'k', deadlineMs: 0 }, /deadlineMs/],
    [{ url: 'http://127.0.0.1', apiKey: 'k', onStoreFailure: 'local' }, /onStoreFailure/],
    [{ url: 'http://127.0.0.1', apiKey: 'k', apikey: 'k' }, /apikey/],
  ])('is not made of %j', (options, problem) => {
    expect(() => createClient(options as never)).toThrow(problem);
  });
});
