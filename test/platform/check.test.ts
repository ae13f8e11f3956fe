import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Documented, type OpenApi } from './rig/documented.ts';
import { onEveryStack } from './rig/stacks.ts';

const resource = 'GET:/orders';
const subject = 'ann';
const body = { resource, subject };

const decisionFields = [
  'allowed',
  'limit',
  'remaining',
  'reset_at',
  'retry_after_ms',
  'message',
  'decision_id',
  'basis',
  'degraded_reason',
  'mode',
  'delay_ms',
  'replayed',
  'cost',
  'costs',
  'blocked_by',
  'would_block',
  'adaptive',
  'ticket',
  'reservation',
  'limits',
];
const limitFields = [
  'name',
  'algorithm',
  'unit',
  'cost',
  'limit',
  'base_limit',
  'used',
  'remaining',
  'override_id',
  'reset_at',
  'retry_after_ms',
  'allowed',
  'mode',
];

const window = (name: string, limit: number, more: object = {}) => ({
  name,
  algorithm: 'fixed_window',
  limit,
  window_seconds: 3600,
  ...more,
});

/** Each with three calls in it, as a plan says it in long and in short. */
const algorithms = {
  token_bucket: { algorithm: 'token_bucket', bucket_capacity: 3, refill_rate_per_sec: 0.001 },
  fixed_window: { algorithm: 'fixed_window', limit: 3, window_seconds: 3600 },
  sliding_window: { algorithm: 'sliding_window', limit: 3, window_seconds: 3600 },
  sliding_window_log: { algorithm: 'sliding_window_log', limit: 3, window_seconds: 3600 },
  sliding_window_counter: { algorithm: 'sliding_window_counter', limit: 3, window_seconds: 3600 },
  concurrency: { algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 600 },
  quota: { algorithm: 'quota', limit: 3, period: 'month' },
} as const;

const documented = new Documented();

onEveryStack(
  'POST /v1/check',
  (rig) => {
    /** Statuses of one check after another. */
    async function statuses(key: string, checks: readonly object[]): Promise<number[]> {
      const seen: number[] = [];
      for (const check of checks) seen.push((await rig.client.check(key, check)).status);
      return seen;
    }

    describe('a decision', () => {
      it('has the same fields in the same order, allowed or refused', async () => {
        const { key } = await rig.client.makeTenant({
          name: 'acme',
          limits: [window('hourly', 1, { per: ['tenant'] })],
        });
        const allowed = await rig.client.check(key, body);
        const refused = await rig.client.check(key, body);
        expect([allowed.status, refused.status]).toEqual([200, 429]);
        for (const answer of [allowed, refused]) {
          expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
          expect(Object.keys(answer.body)).toEqual(decisionFields);
          expect(Object.keys(answer.body['limits'][0] ?? {})).toEqual(limitFields);
          expect(JSON.stringify(answer.body)).toBe(answer.text);
        }
        const now = Math.floor(Date.now() / 1000);
        expect(allowed.body).toMatchObject({
          allowed: true,
          limit: 1,
          remaining: 0,
          retry_after_ms: 0,
          message: 'Allowed.',
          basis: 'exact',
          degraded_reason: null,
          mode: 'enforce',
          replayed: false,
          cost: 1,
          costs: {},
          blocked_by: null,
          would_block: [],
          adaptive: { factor: 1, reason: null },
          ticket: null,
          reservation: null,
        });
        expect(refused.body).toMatchObject({
          allowed: false,
          limit: 1,
          remaining: 0,
          blocked_by: {
            limit: 'hourly',
            per: ['tenant'],
            level: 'tenant',
            entity: 'acme',
            reason: 'exceeded',
          },
          limits: [{ name: 'hourly', allowed: false, used: 1, cost: 1, base_limit: 1 }],
        });
        expect(refused.body['message']).toContain('hourly allows 1 per 1 hour for acme');
        expect(refused.body['reset_at']).toBeGreaterThanOrEqual(now);
        expect(refused.body['reset_at']).toBeLessThanOrEqual(now + 3601);
        expect(refused.body['retry_after_ms']).toBeGreaterThan(0);
        expect(refused.body['decision_id']).not.toBe(allowed.body['decision_id']);
      });

      it('says when waiting does not help, and then alone has no Retry-After', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 3)] });
        const impossible = await rig.client.check(key, { ...body, cost: 4 });
        expect(impossible.status).toBe(429);
        expect(impossible.body).toMatchObject({
          retry_after_ms: null,
          blocked_by: { reason: 'impossible' },
        });
        expect(impossible.headers.has('retry-after')).toBe(false);
        const all = await rig.client.check(key, { ...body, cost: 3 });
        expect(all.headers.get('retry-after')).toBe('0');
        const refused = await rig.client.check(key, body);
        const seconds = Math.ceil(Number(refused.body['retry_after_ms']) / 1000);
        expect(refused.headers.get('retry-after')).toBe(String(seconds));
      });

      it('waiting as long as it says succeeds', async () => {
        const limit = { algorithm: 'sliding_window_log', limit: 1, window_seconds: 0.4 };
        const { key } = await rig.client.makeTenant({ limits: [limit] });
        await rig.client.check(key, body);
        const refused = await rig.client.check(key, body);
        expect(refused.status).toBe(429);
        await sleep(Number(refused.body['retry_after_ms']) + 1);
        expect((await rig.client.check(key, body)).status).toBe(200);
      });

      it('is allowed with nothing to show where no limit applies', async () => {
        const { key } = await rig.client.makeTenant({ limits: [] });
        const answer = await rig.client.check(key, body);
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({
          allowed: true,
          limit: null,
          remaining: null,
          reset_at: null,
          mode: null,
          limits: [],
        });
        expect(answer.headers.get('retry-after')).toBe('0');
        const names = [...answer.headers.keys()].filter((name) => name.includes('ratelimit'));
        expect(names).toEqual([]);
      });

      it('names warn and shadow limits that would have refused, and lets them refuse nothing', async () => {
        const limits = [
          window('warned', 1, { mode: 'warn' }),
          window('watched', 1, { mode: 'monitor' }),
          window('out', 1, { mode: 'off' }),
          window('real', 3),
        ];
        const { key } = await rig.client.makeTenant({ limits });
        await rig.client.check(key, body);
        const answer = await rig.client.check(key, body);
        expect(answer.status).toBe(200);
        expect(answer.body['would_block']).toEqual(['warned', 'watched']);
        expect(answer.body['mode']).toBe('enforce');
        expect(answer.headers.get('x-ratelimit-warning')).toMatch(/^warned: 1 per 1 hour, used 1/);
        expect(answer.body['limits']).toHaveLength(3);
      });
    });

    describe('a plan', () => {
      it.each(Object.entries(algorithms))(
        'with %s allows three calls and refuses the fourth, in long and in short',
        async (name, limit) => {
          const { key, id } = await rig.client.makeTenant({ limits: [limit] });
          expect(await statuses(key, [body, body, body, body])).toEqual([200, 200, 200, 429]);
          const peek = await rig.client.check(key, { ...body, cost: 0 });
          expect(peek.body['limits']).toMatchObject([
            {
              name: name === 'sliding_window' ? 'sliding_window_log' : name,
              algorithm: name === 'sliding_window' ? 'sliding_window_log' : name,
              used: 3,
              remaining: 0,
            },
          ]);
          const short = { tenant_id: id, name: 'short', ...limit };
          const plan = await rig.client.change('POST', 'plans', short);
          await rig.client.change('PATCH', `tenants/${id}`, { plan_id: plan['id'] });
          const other = { ...body, subject: 'bob' };
          expect(await statuses(key, [other, other, other, other])).toEqual([200, 200, 200, 429]);
        },
      );

      it('with several limits charges all of them or none', async () => {
        const limits = [window('large', 5), window('small', 2, { per: ['tenant'] })];
        const { key } = await rig.client.makeTenant({ limits });
        expect(await statuses(key, [body, body, body])).toEqual([200, 200, 429]);
        const peek = await rig.client.check(key, { ...body, cost: 0 });
        const used = peek.body['limits'] as { name: string; used: number }[];
        expect(used.map(({ name, used }) => [name, used])).toEqual([
          ['large', 2],
          ['small', 2],
        ]);
      });

      it('counts a limit for the resources that it names, and for no others', async () => {
        const limits = [window('w', 1, { resources: ['GET:/orders/{id}', 'POST:/*'] })];
        const { key } = await rig.client.makeTenant({ limits });
        const of = (name: string) => ({ subject, resource: name });
        expect(
          await statuses(key, ['GET:/orders/1', 'GET:/orders/1', 'POST:/x/y', 'POST:/x/y'].map(of)),
        ).toEqual([200, 429, 200, 429]);
        const free = await rig.client.check(key, of('GET:/orders'));
        expect(free.body).toMatchObject({ allowed: true, limit: null, limits: [] });
      });

      it('is the shared one that the tier is called, for a tenant without one of its own', async () => {
        const tier = `tier-${randomUUID().slice(0, 8)}`;
        const made = await rig.client.change('POST', 'plans', {
          tenant_id: null,
          name: tier,
          limits: [window('shared', 2)],
        });
        const { key, id } = await rig.client.makeTenant({ tier, limits: [] });
        const answer = await rig.client.check(key, body);
        expect(answer.body['limits']).toMatchObject([{ name: 'shared', limit: 2 }]);
        await rig.client.change('PATCH', `tenants/${id}`, { tier: 'nothing-of-that-name' });
        expect((await rig.client.check(key, body)).body['limits']).toEqual([]);
        await rig.client.change('DELETE', `plans/${made['id']}`);
      });
    });

    describe('a cost', () => {
      it('is what the call says, in each unit', async () => {
        const limits = [window('calls', 10), window('rows', 100, { unit: 'elements' })];
        const { key } = await rig.client.makeTenant({ limits });
        const answer = await rig.client.check(key, { ...body, cost: 3, costs: { elements: 60 } });
        expect(answer.body).toMatchObject({
          cost: 3,
          costs: { elements: 60 },
          limits: [
            { name: 'calls', cost: 3, used: 3, unit: 'requests' },
            { name: 'rows', cost: 60, used: 60, unit: 'elements' },
          ],
        });
        const refused = await rig.client.check(key, { ...body, costs: { elements: 41 } });
        expect(refused.body).toMatchObject({
          allowed: false,
          blocked_by: { limit: 'rows' },
          limits: [{ used: 3 }, { used: 60 }],
        });
        const other = await rig.client.check(key, { ...body, costs: { tokens: 5 } });
        expect(other.body).toMatchObject({ limits: [{ used: 4 }, { cost: 0, used: 60 }] });
      });

      it('of nothing at all is a look that charges nothing', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 1)] });
        const peek = { ...body, cost: 0 };
        expect(await statuses(key, [peek, peek, body, peek])).toEqual([200, 200, 200, 200]);
        const last = await rig.client.check(key, peek);
        expect(last.body).toMatchObject({ allowed: true, remaining: 0, cost: 0 });
      });
    });

    describe('attributes', () => {
      const perIp = (more: object = {}) => window('by-ip', 1, { per: ['attributes.ip'], ...more });
      const from = (ip: string) => ({ ...body, attributes: { ip } });

      it('count an IPv6 address by its /64 and IPv4 in IPv6 form as IPv4', async () => {
        const { key } = await rig.client.makeTenant({ limits: [perIp()] });
        const same = [
          ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9', '2001:0db8:0001:0002:0:0:0:5'],
          ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '0:0:0:0:0:ffff:203.0.113.9'],
          ['1:0:2:3::7', '1::2:3:4:5:1.2.3.4'],
          ['fe80::1', 'fe80::2%eth0'],
          ['203.0.113.10'],
          ['2001:db8:1:3::1'],
          ['not:an:address'],
        ];
        for (const addresses of same) {
          const [first, ...others] = await statuses(key, addresses.map(from));
          expect(first, addresses[0]).toBe(200);
          expect(others, addresses.join()).toEqual(others.map(() => 429));
        }
      });

      it('that are missing share one counter by default', async () => {
        const { key } = await rig.client.makeTenant({ limits: [perIp()] });
        expect(await statuses(key, [from('203.0.113.1'), body, body])).toEqual([200, 200, 429]);
        const other = { ...body, attributes: { team: 'eng' } };
        expect((await rig.client.check(key, other)).status).toBe(429);
      });

      it('that are missing skip a limit that says so', async () => {
        const { key } = await rig.client.makeTenant({ limits: [perIp({ on_missing: 'skip' })] });
        expect(await statuses(key, [body, body])).toEqual([200, 200]);
        expect((await rig.client.check(key, body)).body['limits']).toEqual([]);
      });

      it('that are missing are asked for by name where a limit needs them', async () => {
        const { key } = await rig.client.makeTenant({ limits: [perIp({ on_missing: 'reject' })] });
        const answer = await rig.client.check(key, body);
        expect(answer.status).toBe(400);
        expect(answer.body['errors']).toEqual([
          { field: 'attributes.ip', problem: 'is required by the limit by-ip' },
        ]);
        expect((await rig.client.check(key, from('203.0.113.1'))).status).toBe(200);
      });

      it('tell callers apart by tenant, key, resource, subject or themselves, as the limit says', async () => {
        const cases: readonly [readonly string[], object, number][] = [
          [['tenant'], { subject: 'bob', resource: 'GET:/x' }, 429],
          [['key'], { subject: 'bob', resource: 'GET:/x' }, 429],
          [['subject'], { resource: 'GET:/x' }, 429],
          [['subject'], { subject: 'bob' }, 200],
          [['resource'], { subject: 'bob' }, 429],
          [['resource'], { resource: 'GET:/x' }, 200],
          [['tenant', 'subject', 'resource'], { resource: 'GET:/x' }, 200],
          [['attributes.team'], { attributes: { team: 'ops' } }, 200],
          [['attributes.team'], { subject: 'bob', attributes: { team: 'eng' } }, 429],
        ];
        const first = { ...body, attributes: { team: 'eng' } };
        for (const [per, second, status] of cases) {
          const { key } = await rig.client.makeTenant({ limits: [window('w', 1, { per })] });
          expect(await statuses(key, [first, { ...first, ...second }]), per.join()).toEqual([
            200,
            status,
          ]);
        }
      });
    });

    describe('a question', () => {
      it('that is wrong is refused by the name of what is wrong, and charges nothing', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 1)] });
        const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`n${at}`, 1]));
        const texts = Object.fromEntries(Object.keys(many).map((name) => [name, 'x']));
        const wrong: readonly [object | readonly [] | string | number, string][] = [
          [{ subject }, 'resource'],
          [{ resource }, 'subject'],
          [{ ...body, resource: '' }, 'resource'],
          [{ ...body, resource: 'x'.repeat(2049) }, 'resource'],
          [{ ...body, resource: 7 }, 'resource'],
          [{ ...body, resource: '\ud800' }, 'resource'],
          [{ ...body, subject: '' }, 'subject'],
          [{ ...body, subject: 'x'.repeat(1025) }, 'subject'],
          [{ ...body, subject: null }, 'subject'],
          [{ ...body, subject: '\udfff' }, 'subject'],
          [{ ...body, cost: -1 }, 'cost'],
          [{ ...body, cost: 1.5 }, 'cost'],
          [{ ...body, cost: '1' }, 'cost'],
          [{ ...body, cost: 2 ** 50 + 1 }, 'cost'],
          [{ ...body, costs: { elements: -1 } }, 'costs.elements'],
          [{ ...body, costs: { elements: 0.5 } }, 'costs.elements'],
          [{ ...body, costs: { requests: 1 } }, 'costs.requests'],
          [{ ...body, costs: many }, 'costs'],
          [{ ...body, costs: [] }, 'costs'],
          [{ ...body, attributes: texts }, 'attributes'],
          [{ ...body, attributes: { team: '' } }, 'attributes.team'],
          [{ ...body, attributes: { team: 'x'.repeat(1025) } }, 'attributes.team'],
          [{ ...body, attributes: { team: 7 } }, 'attributes.team'],
          [{ ...body, attributes: { team: '\ud800' } }, 'attributes.team'],
          [{ ...body, plan_id: 'pro' }, 'plan_id'],
          [{ ...body, idempotency_key: 'short' }, 'idempotency_key'],
          [{ ...body, idempotency_key: 'x'.repeat(129) }, 'idempotency_key'],
          [{ ...body, idempotency_key: 'with space' }, 'idempotency_key'],
          [{ ...body, reserve: {} }, 'reserve.ttl_ms'],
          [{ ...body, reserve: { ttl_ms: 0 } }, 'reserve.ttl_ms'],
          [{ ...body, reserve: { ttl_ms: 86_400_001 } }, 'reserve.ttl_ms'],
          [{ ...body, reserve: { ttl_ms: 1000, on_expiry: 'burn' } }, 'reserve.on_expiry'],
          [{ ...body, reserve: { ttl_ms: 1000, ttl: 5 } }, 'reserve.ttl'],
          [{ ...body, tenant: 'acme' }, 'tenant'],
          [{ ...body, planId: 'x' }, 'planId'],
          [[body], 'body'],
          ['"text"', 'body'],
          ['null', 'body'],
        ];
        for (const [sent, field] of wrong) {
          const answer = await rig.client.check(key, sent);
          const said = JSON.stringify(sent).slice(0, 80);
          expect(answer.status, said).toBe(400);
          expect(answer.headers.get('content-type'), said).toBe('application/problem+json');
          expect(answer.body, said).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
        }
        expect((await rig.client.check(key, body)).status).toBe(200);
      });

      it('may be as large as the bounds allow', async () => {
        const { key } = await rig.client.makeTenant();
        const names = Array.from({ length: 64 }, (_, at) => `n${at}`.padEnd(64, 'x'));
        const answer = await rig.client.check(key, {
          resource: 'r'.repeat(2048),
          subject: 's'.repeat(1024),
          cost: 0,
          costs: Object.fromEntries(names.map((name) => [name, 0])),
          attributes: Object.fromEntries(names.slice(0, 32).map((name) => [name, 'a'.repeat(900)])),
          idempotency_key: 'k'.repeat(128),
        });
        expect(answer.status).toBe(200);
      });

      it('in a name of its own language counts as it is, and unlike any other', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 1)] });
        const subjects = ['ann', 'Ann', 'ann ', 'ä', 'a\u0308', '名前', '👩‍💻', 'a\u0000b', 'a'];
        const asked = subjects.map((one) => ({ resource, subject: one }));
        expect(await statuses(key, asked)).toEqual(subjects.map(() => 200));
        expect(await statuses(key, asked)).toEqual(subjects.map(() => 429));
      });

      it('for one path spelt in several ways counts once', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 1)] });
        const spellings = [
          'GET:/orders/7',
          'get:/orders/7',
          'GET://orders//7/',
          'GET:/orders/./7',
          'GET:/orders/x/../7',
          'GET:/orders/7?page=2',
          'GET:/%6frders/7',
          'GET:/orders/7#top',
        ];
        const asked = spellings.map((one) => ({ subject, resource: one }));
        const [first, ...others] = await statuses(key, asked);
        expect(first).toBe(200);
        expect(others).toEqual(others.map(() => 429));
      });

      it('is JSON of at most 64 KiB', async () => {
        const { key } = await rig.client.makeTenant();
        const broken = await rig.client.check(key, '{"resource":');
        expect([broken.status, broken.body['code']]).toEqual([400, 'invalid_json']);
        const empty = await rig.client.check(key, '');
        expect([empty.status, empty.body['code']]).toEqual([400, 'invalid_json']);
        const large = await rig.client.check(key, { ...body, x: 'x'.repeat(65_536) });
        expect([large.status, large.body['code']]).toEqual([413, 'body_too_large']);
        const text = await rig.client.check(key, 'resource=x', { 'content-type': 'text/plain' });
        expect([text.status, text.body['code']]).toEqual([415, 'unsupported_media_type']);
      });

      it('comes with its key in x-api-key or as Bearer, and in no other way', async () => {
        const { key } = await rig.client.makeTenant();
        const ask = async (headers: Record<string, string>, path = '/v1/check') =>
          (await rig.client.ask('POST', path, { body, headers })).status;
        expect(await ask({ 'x-api-key': key })).toBe(200);
        expect(await ask({ authorization: `Bearer ${key}` })).toBe(200);
        expect(await ask({ authorization: key })).toBe(401);
        expect(await ask({ authorization: `Basic ${btoa(`${key}:`)}` })).toBe(401);
        expect(await ask({ cookie: `api_key=${key}` })).toBe(401);
        expect(await ask({}, `/v1/check?api_key=${key}`)).toBe(401);
      });
    });

    describe('an idempotency key', () => {
      const limits = [window('w', 5)];
      const used = async (key: string) => {
        const peek = await rig.client.check(key, { ...body, cost: 0 });
        return (peek.body['limits'] as { used: number }[])[0]?.used;
      };

      it('answers a repeated question as the first time and charges it once', async () => {
        const { key } = await rig.client.makeTenant({ limits });
        const asked = { ...body, idempotency_key: 'order-0001' };
        const first = await rig.client.check(key, asked);
        const second = await rig.client.check(key, asked);
        expect(first.body['replayed']).toBe(false);
        expect(second.body).toMatchObject({
          allowed: true,
          replayed: true,
          decision_id: first.body['decision_id'],
          remaining: 4,
        });
        expect(await used(key)).toBe(1);
      });

      it('stands in the body, in Idempotency-Key or in X-Idempotency-Key, in this order', async () => {
        const { key } = await rig.client.makeTenant({ limits });
        const ask = async (sent: object, headers: Record<string, string>) =>
          (await rig.client.check(key, { ...body, ...sent }, headers)).body['replayed'];
        const standard = { 'idempotency-key': 'standard-1' };
        const older = { 'x-idempotency-key': 'older-0001' };
        const given = { idempotency_key: 'of-the-body' };
        expect(await ask({}, standard)).toBe(false);
        expect(await ask({}, { 'idempotency-key': '"standard-1"' })).toBe(true);
        expect(await ask({}, older)).toBe(false);
        expect(await ask({}, older)).toBe(true);
        expect(await ask({}, { ...older, ...standard })).toBe(true);
        expect(await ask(given, { ...older, ...standard })).toBe(false);
        expect(await ask(given, {})).toBe(true);
        expect(await ask({}, { 'x-request-id': 'request-0001' })).toBe(false);
        expect(await ask({}, { 'x-request-id': 'request-0001' })).toBe(false);
        expect(await used(key)).toBe(5);
      });

      it('that is malformed in a header is refused by its name', async () => {
        const { key } = await rig.client.makeTenant({ limits });
        for (const bad of ['short', 'with space!', 'x'.repeat(129), '"half-quoted', '""']) {
          const answer = await rig.client.check(key, body, { 'idempotency-key': bad });
          expect(answer.status, bad).toBe(400);
          expect(answer.body['errors'], bad).toMatchObject([{ field: 'idempotency-key' }]);
        }
        expect(await used(key)).toBe(0);
      });

      it('used for another question is a conflict', async () => {
        const { key, planId } = await rig.client.makeTenant({
          limits,
          scopes: ['check', 'plan:select'],
        });
        const asked = { ...body, idempotency_key: 'order-0002' };
        await rig.client.check(key, asked);
        for (const other of [
          { cost: 2 },
          { resource: 'GET:/else' },
          { costs: { elements: 1 } },
          { plan_id: planId },
        ]) {
          const answer = await rig.client.check(key, { ...asked, ...other });
          expect([answer.status, answer.body['code']]).toEqual([422, 'idempotency_conflict']);
        }
        expect((await rig.client.check(key, asked)).body['replayed']).toBe(true);
        expect(await used(key)).toBe(1);
      });

      it('belongs to one subject of one tenant', async () => {
        const [one, two] = [
          await rig.client.makeTenant({ limits }),
          await rig.client.makeTenant({ limits }),
        ];
        const asked = { ...body, idempotency_key: 'order-0003' };
        await rig.client.check(one.key, asked);
        const bob = await rig.client.check(one.key, { ...asked, subject: 'bob' });
        const elsewhere = await rig.client.check(two.key, asked);
        expect([bob.body['replayed'], elsewhere.body['replayed']]).toEqual([false, false]);
      });

      it('of a refused question is asked afresh', async () => {
        const { key } = await rig.client.makeTenant({
          limits: [{ algorithm: 'sliding_window_log', limit: 1, window_seconds: 0.3 }],
        });
        await rig.client.check(key, body);
        const asked = { ...body, idempotency_key: 'order-0004' };
        const refused = await rig.client.check(key, asked);
        expect(refused.status).toBe(429);
        await sleep(Number(refused.body['retry_after_ms']) + 1);
        const later = await rig.client.check(key, asked);
        expect(later.body).toMatchObject({ allowed: true, replayed: false });
      });
    });

    describe('plan_id', () => {
      it('puts one check on another plan of the tenant or a shared one', async () => {
        const { key, id } = await rig.client.makeTenant({
          limits: [window('own', 9)],
          scopes: ['check', 'plan:select'],
        });
        const own = await rig.client.change('POST', 'plans', {
          tenant_id: id,
          name: 'other',
          limits: [window('other', 1)],
        });
        const shared = await rig.client.change('POST', 'plans', {
          name: `shared-${randomUUID().slice(0, 8)}`,
          limits: [window('shared', 1)],
        });
        await rig.client.published();
        for (const [planId, name] of [
          [own['id'], 'other'],
          [shared['id'], 'shared'],
        ]) {
          const asked = { ...body, plan_id: planId };
          const answer = await rig.client.check(key, asked);
          expect(answer.body['limits']).toMatchObject([{ name }]);
          expect((await rig.client.check(key, asked)).status).toBe(429);
        }
        expect((await rig.client.check(key, body)).body['limits']).toMatchObject([{ name: 'own' }]);
        await rig.client.change('DELETE', `plans/${shared['id']}`);
      });

      it('needs a scope, and a plan that is the tenant’s to choose', async () => {
        const one = await rig.client.makeTenant({ scopes: ['check', 'plan:select'] });
        const two = await rig.client.makeTenant();
        const ask = async (key: string, planId: string | null) => {
          const { status, body: said } = await rig.client.check(key, { ...body, plan_id: planId });
          return [status, said['code']];
        };
        expect(await ask(two.key, two.planId)).toEqual([403, 'scope_missing']);
        expect(await ask(one.key, two.planId)).toEqual([404, 'not_found']);
        expect(await ask(one.key, randomUUID())).toEqual([404, 'not_found']);
      });
    });

    describe('a tenant', () => {
      it('that is suspended is refused at its next check, until it is active again', async () => {
        const { key, id } = await rig.client.makeTenant();
        expect((await rig.client.check(key, body)).status).toBe(200);
        await rig.client.change('PATCH', `tenants/${id}`, { status: 'suspended' });
        const refused = await rig.client.check(key, body);
        expect([refused.status, refused.body['code']]).toEqual([403, 'tenant_suspended']);
        await rig.client.change('PATCH', `tenants/${id}`, { status: 'active' });
        expect((await rig.client.check(key, body)).status).toBe(200);
      });

      it('is on its new plan, with new numbers, at its next check', async () => {
        const { key, id, planId } = await rig.client.makeTenant({ limits: [window('w', 1)] });
        expect(await statuses(key, [body, body])).toEqual([200, 429]);
        await rig.client.change('PATCH', `plans/${planId}`, { limits: [window('w', 2)] });
        expect(await statuses(key, [body, body])).toEqual([200, 429]);
        const plan = { tenant_id: id, name: 'larger', limits: [window('w', 3)] };
        const larger = await rig.client.change('POST', 'plans', plan);
        await rig.client.change('PATCH', `tenants/${id}`, { plan_id: larger['id'] });
        expect(await statuses(key, [body, body])).toEqual([200, 429]);
      });

      it('never feels what another one does', async () => {
        const [one, two] = [
          await rig.client.makeTenant({ name: 'twin', limits: [window('w', 1)] }),
          await rig.client.makeTenant({ name: 'twin', limits: [window('w', 1)] }),
        ];
        expect(await statuses(one.key, [body, body])).toEqual([200, 429]);
        expect(await statuses(two.key, [body, body])).toEqual([200, 429]);
      });

      it('that is deleted takes its keys with it', async () => {
        const { key, id } = await rig.client.makeTenant();
        expect((await rig.client.check(key, body)).status).toBe(200);
        await rig.client.change('DELETE', `tenants/${id}`);
        expect((await rig.client.check(key, body)).status).toBe(401);
      });

      it('whose key lacks the scope to check is told so', async () => {
        const { key } = await rig.client.makeTenant({ scopes: ['usage'] });
        const answer = await rig.client.check(key, body);
        expect([answer.status, answer.body['code']]).toEqual([403, 'scope_missing']);
      });
    });

    describe('a policy', () => {
      const policy = (tenantId: string, pattern: string, more: object = {}) =>
        rig.client.change('POST', 'policies', { tenant_id: tenantId, resource: pattern, ...more });

      it('sets what a call costs; the call may say otherwise, up to max_cost', async () => {
        const { key, id } = await rig.client.makeTenant({
          limits: [window('calls', 1000), window('rows', 1000, { unit: 'elements' })],
        });
        await policy(id, 'POST:/search', { cost: 5, costs: { elements: 20 }, max_cost: 50 });
        const search = { subject, resource: 'POST:/search' };
        const costsOf = async (sent: object) => {
          const answer = await rig.client.check(key, { ...search, ...sent });
          return answer.status === 200
            ? [answer.body['cost'], answer.body['costs']]
            : (answer.body['errors'] as { field: string }[])[0]?.field;
        };
        expect(await costsOf({})).toEqual([5, { elements: 20 }]);
        expect(await costsOf({ cost: 7 })).toEqual([7, { elements: 20 }]);
        expect(await costsOf({ costs: { elements: 3 } })).toEqual([5, { elements: 3 }]);
        expect(await costsOf({ costs: { tokens: 3 } })).toEqual([5, { elements: 20, tokens: 3 }]);
        expect(await costsOf({ cost: 50 })).toEqual([50, { elements: 20 }]);
        expect(await costsOf({ cost: 51 })).toBe('cost');
        expect(await costsOf({ cost: 0 })).toEqual([0, {}]);
        const elsewhere = await rig.client.check(key, body);
        expect([elsewhere.body['cost'], elsewhere.body['costs']]).toEqual([1, {}]);
      });

      it('holds a unit of its own to max_cost too', async () => {
        const { key, id } = await rig.client.makeTenant();
        await policy(id, 'POST:/search', { max_cost: 50 });
        const asked = { subject, resource: 'POST:/search', costs: { elements: 51 } };
        const answer = await rig.client.check(key, asked);
        expect(answer.status).toBe(400);
        expect(answer.body['errors']).toMatchObject([{ field: 'costs.elements' }]);
      });

      it('matches by pattern: exact beats {x} beats *, longer beats shorter', async () => {
        const { key, id } = await rig.client.makeTenant();
        const costs: Readonly<Record<string, number>> = {
          'GET:/*': 2,
          'GET:/orders/*': 3,
          'GET:/orders/{id}': 4,
          'GET:/orders/open': 5,
          'GET:/orders/{id}/items/*': 6,
          'GET:/report-*': 7,
        };
        for (const [pattern, cost] of Object.entries(costs)) await policy(id, pattern, { cost });
        const costOf = async (asked: string) =>
          (await rig.client.check(key, { subject, resource: asked })).body['cost'];
        expect(await costOf('GET:/anything')).toBe(2);
        expect(await costOf('GET:/orders/7/x')).toBe(3);
        expect(await costOf('GET:/orders/7')).toBe(4);
        expect(await costOf('GET:/orders/open')).toBe(5);
        expect(await costOf('GET:/orders/7/items/1/2')).toBe(6);
        expect(await costOf('GET:/report-2026')).toBe(7);
        expect(await costOf('POST:/orders/7')).toBe(1);
      });

      it('adds its limits to the plan’s, all that match; the more specific of one name wins', async () => {
        const { key, id } = await rig.client.makeTenant({ limits: [window('plan', 100)] });
        await policy(id, 'GET:/*', { limits: [window('wide', 50), window('both', 40)] });
        await policy(id, 'GET:/orders', { limits: [window('narrow', 30), window('both', 20)] });
        const answer = await rig.client.check(key, body);
        const limits = answer.body['limits'] as { name: string; limit: number }[];
        const sizes = Object.fromEntries(limits.map(({ name, limit }) => [name, limit]));
        expect(sizes).toEqual({ plan: 100, wide: 50, narrow: 30, both: 20 });
        expect(answer.body['limit']).toBe(20);
      });

      it('counts what its pattern matches as one resource', async () => {
        const { key, id } = await rig.client.makeTenant({ limits: [window('w', 2)] });
        await policy(id, 'GET:/orders/{id}');
        const of = (one: number) => ({ subject, resource: `GET:/orders/${one}` });
        expect(await statuses(key, [of(1), of(2), of(3)])).toEqual([200, 200, 429]);
      });

      it('for all tenants comes together with the tenant’s own', async () => {
        const { key, id } = await rig.client.makeTenant();
        const path = `POST:/${randomUUID()}`;
        const shared = await rig.client.change('POST', 'policies', {
          tenant_id: null,
          resource: path,
          cost: 9,
          limits: [window('for-all', 100)],
        });
        const asked = { subject, resource: path };
        await expect
          .poll(async () => (await rig.client.check(key, asked)).body['cost'], { timeout: 5000 })
          .toBe(9);
        await policy(id, path, { cost: 4 });
        const answer = await rig.client.check(key, asked);
        expect(answer.body['cost']).toBe(4);
        expect(JSON.stringify(answer.body['limits'])).toContain('for-all');
        await rig.client.change('DELETE', `policies/${shared['id']}`);
      });

      it('gives its mode to limits that have none', async () => {
        const { key, id } = await rig.client.makeTenant({ limits: [] });
        await policy(id, resource, {
          mode: 'shadow',
          limits: [window('inherits', 1), window('has-own', 2, { mode: 'enforce' })],
        });
        expect(await statuses(key, [body, body, body])).toEqual([200, 200, 429]);
        const answer = await rig.client.check(key, { ...body, cost: 0 });
        expect(answer.body['limits']).toMatchObject([
          { name: 'inherits', mode: 'shadow' },
          { name: 'has-own', mode: 'enforce' },
        ]);
      });
    });

    it('is answered as documented, in every one of the above', async () => {
      const { body: document } = await rig.client.get('/openapi.json');
      expect(documented.problems(document as unknown as OpenApi)).toEqual([]);
    });
  },
  { watch: documented.watch },
);
