import { beforeAll, describe, expect, it } from 'vitest';
import { type BadInput, badRules } from './bad-rules.ts';
import { onEveryAdmin } from './rig.ts';
import { fillRoom, readEverything } from './world.ts';

const bucket = { algorithm: 'token_bucket', bucket_capacity: 10, refill_rate_per_sec: 1 };
const window = { name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 };
const deep = (depth: number): unknown => (depth === 0 ? {} : { x: deep(depth - 1) });
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** What is sent, and the field that the refusal names. */
const cases: readonly BadInput[] = [
  ['POST', 'tenants', {}, 'name'],
  ['POST', 'tenants', { name: '' }, 'name'],
  ['POST', 'tenants', { name: '   ' }, 'name'],
  ['POST', 'tenants', { name: 'x'.repeat(201) }, 'name'],
  ['POST', 'tenants', { name: 'a\u0000b' }, 'name'],
  ['POST', 'tenants', { name: 'a\nb' }, 'name'],
  ['POST', 'tenants', { name: '\ud800' }, 'name'],
  ['POST', 'tenants', { name: 5 }, 'name'],
  ['POST', 'tenants', { name: null }, 'name'],
  ['POST', 'tenants', { name: 'x', id: 'mine' }, 'id'],
  ['POST', 'tenants', { name: 'x', version: 1 }, 'version'],
  ['POST', 'tenants', { name: 'x', tier: 'a b' }, 'tier'],
  ['POST', 'tenants', { name: 'x', tier: 'x'.repeat(65) }, 'tier'],
  ['POST', 'tenants', { name: 'x', status: 'gone' }, 'status'],
  ['POST', 'tenants', { name: 'x', timezone: 'Mars/Olympus' }, 'timezone'],
  ['POST', 'tenants', { name: 'x', timezone: '+01:00' }, 'timezone'],
  ['POST', 'tenants', { name: 'x', timezone: '' }, 'timezone'],
  ['POST', 'tenants', { name: 'x', billing_anchor_day: 0 }, 'billing_anchor_day'],
  ['POST', 'tenants', { name: 'x', billing_anchor_day: 32 }, 'billing_anchor_day'],
  ['POST', 'tenants', { name: 'x', billing_anchor_day: 1.5 }, 'billing_anchor_day'],
  ['POST', 'tenants', { name: 'x', billing_anchor_day: '1' }, 'billing_anchor_day'],
  ['POST', 'tenants', { name: 'x', pool: {} }, 'pool'],
  ['POST', 'tenants', [], 'body'],
  ['POST', 'tenants', 'null', 'body'],
  ['POST', 'tenants', '7', 'body'],
  ['PATCH', 'tenants/TENANT', { name: '' }, 'name'],
  ['PATCH', 'tenants/TENANT', { colour: 1 }, 'colour'],
  ['PATCH', 'tenants/TENANT', { version: 0 }, 'version'],
  ['PATCH', 'tenants/TENANT', { version: 1.5 }, 'version'],
  ['PATCH', 'tenants/TENANT', { version: 1e308 }, 'version'],
  ['PATCH', 'tenants/TENANT', { version: '1' }, 'version'],

  ['POST', 'plans', { name: 'p' }, 'limits'],
  ['POST', 'plans', { name: 'p', limits: [] }, 'limits'],
  ['POST', 'plans', { name: 'p', limits: {} }, 'limits'],
  [
    'POST',
    'plans',
    { name: 'p', limits: many(65, (at) => ({ ...window, name: `l${at}` })) },
    'limits',
  ],
  [
    'POST',
    'plans',
    { name: 'p', limits: many(10_000, (at) => ({ ...window, name: `l${at}` })) },
    'limits',
  ],
  ['POST', 'plans', { name: 'p', limits: [window, window] }, 'limits[1].name'],
  ['POST', 'plans', { name: 'a b', limits: [window] }, 'name'],
  ['POST', 'plans', { name: '', limits: [window] }, 'name'],
  ['POST', 'plans', { limits: [window] }, 'name'],
  ['POST', 'plans', { name: 'p', limits: [window], colour: 1 }, 'colour'],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, colour: 1 }] }, 'limits[0].colour'],
  ['POST', 'plans', { name: 'p', limits: [null] }, 'limits[0]'],
  [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, algorithm: 'leaky' }] },
    'limits[0].algorithm',
  ],
  ...[0, -1, 1e308, 2 ** 53, 1.5].map((limit): BadInput => [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, limit }] },
    'limits[0].limit',
  ]),
  ['POST', 'plans', { name: 'p', limits: [{ ...window, limit: '10' }] }, 'limits[0].limit'],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, limit: null }] }, 'limits[0].limit'],
  ...[0, -1, 1e308, 1e-9].map((window_seconds): BadInput => [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, window_seconds }] },
    'limits[0].window_seconds',
  ]),
  ['POST', 'plans', { name: 'p', ...bucket, bucket_capacity: 1e308 }, 'bucket_capacity'],
  ['POST', 'plans', { name: 'p', ...bucket, refill_rate_per_sec: 0 }, 'refill_rate_per_sec'],
  ['POST', 'plans', { name: 'p', ...bucket, refill_rate_per_sec: 1e-7 }, 'refill_rate_per_sec'],
  ['POST', 'plans', { name: 'p', ...bucket, limit: 1 }, 'limit'],
  [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, resources: ['GET:/{'] }] },
    'limits[0].resources[0]',
  ],
  [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, resources: ['\u0000'] }] },
    'limits[0].resources[0]',
  ],
  [
    'POST',
    'plans',
    { name: 'p', limits: [{ ...window, per: many(9, () => 'tenant') }] },
    'limits[0].per',
  ],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, when: deep(500) }] }, 'limits[0].when.x'],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, per: ['global'] }] }, 'limits[0].per'],
  [
    'POST',
    'plans',
    { name: 'p', limits: [window, { ...window, name: 'g', per: ['global', 'resource'] }] },
    'limits[1].per',
  ],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, security: 'yes' }] }, 'limits[0].security'],
  ['POST', 'plans', { name: 'p', limits: [{ ...window, share_of: 1 }] }, 'limits[0].share_of'],
  ['POST', 'plans', { template: 'gold' }, 'template'],
  ['POST', 'plans', { template: 'free', limits: [window] }, 'limits'],
  ['POST', 'plans', { template: 'free', name: 'a b' }, 'name'],
  ['POST', 'plans', { template: 'free', limit: 5 }, 'limit'],
  ['PATCH', 'plans/PLAN', { template: 'free' }, 'template'],
  ['GET', 'plans/templates?name=free', undefined, 'name'],
  ['PATCH', 'plans/PLAN', { limits: [] }, 'limits'],
  ['PATCH', 'plans/PLAN', { tenant_id: null }, 'tenant_id'],
  ['PATCH', 'plans/PLAN', { bucket_capacity: 5 }, 'limits[0].bucket_capacity'],

  ['POST', 'policies', {}, 'resource'],
  ['POST', 'policies', { resource: '' }, 'resource'],
  ['POST', 'policies', { resource: 'x'.repeat(513) }, 'resource'],
  ['POST', 'policies', { resource: 'GET:/{x' }, 'resource'],
  ['POST', 'policies', { resource: `GET:/${'*a'.repeat(200)}` }, 'resource'],
  ['POST', 'policies', { resource: 'a\u0000' }, 'resource'],
  ['POST', 'policies', { resource: 'x', cost: -1 }, 'cost'],
  ['POST', 'policies', { resource: 'x', cost: 1e308 }, 'cost'],
  ['POST', 'policies', { resource: 'x', cost: 1.5 }, 'cost'],
  ['POST', 'policies', { resource: 'x', max_cost: -1 }, 'max_cost'],
  ['POST', 'policies', { resource: 'x', costs: { 'a b': 1 } }, 'costs'],
  ['POST', 'policies', { resource: 'x', costs: { requests: 1 } }, 'costs.requests'],
  ['POST', 'policies', { resource: 'x', costs: { a: -1 } }, 'costs.a'],
  ['POST', 'policies', { resource: 'x', costs: { a: '1' } }, 'costs.a'],
  [
    'POST',
    'policies',
    { resource: 'x', costs: Object.fromEntries(many(65, (at) => [`u${at}`, 1])) },
    'costs',
  ],
  ['POST', 'policies', { resource: 'x', mode: 'maybe' }, 'mode'],
  ['POST', 'policies', { resource: 'x', limits: [{ ...window, limit: 0 }] }, 'limits[0].limit'],
  ['POST', 'policies', { resource: 'x', colour: 1 }, 'colour'],
  ['PATCH', 'policies/POLICY', { tenant_id: null }, 'tenant_id'],
  [
    'POST',
    'policies',
    { tenant_id: 'TENANT', resource: 'x', limits: [{ ...window, per: ['global'] }] },
    'limits[0].per',
  ],
  ['PATCH', 'policies/POLICY', { limits: [{ ...window, per: ['global'] }] }, 'limits[0].per'],

  ['POST', 'keys', { tenant_id: 'TENANT' }, 'name'],
  ['POST', 'keys', { name: 'k' }, 'tenant_id'],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', scopes: ['all'] }, 'scopes[0]'],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', scopes: ['check', 'check'] }, 'scopes'],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', scopes: 'check' }, 'scopes'],
  [
    'POST',
    'keys',
    { tenant_id: 'TENANT', name: 'k', expires_at: '2020-01-01T00:00:00Z' },
    'expires_at',
  ],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', expires_at: 'tomorrow' }, 'expires_at'],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', expires_at: 1e12 }, 'expires_at'],
  [
    'POST',
    'keys',
    { tenant_id: 'TENANT', name: 'k', expires_at: '2030-12-31T23:59:60Z' },
    'expires_at',
  ],
  ['POST', 'keys', { tenant_id: 'TENANT', name: 'k', key: 'mine' }, 'key'],
  ['POST', 'keys/KEY/rotate', { overlap_seconds: -1 }, 'overlap_seconds'],
  ['POST', 'keys/KEY/rotate', { overlap_seconds: 2_592_001 }, 'overlap_seconds'],
  ['POST', 'keys/KEY/rotate', { overlap: 1 }, 'overlap'],
  ['PATCH', 'keys/KEY', { tenant_id: 'TENANT' }, 'tenant_id'],

  ['POST', 'tokens', { name: 't' }, 'role'],
  ['POST', 'tokens', { name: 't', role: 'god' }, 'role'],
  [
    'POST',
    'tokens',
    { name: 't', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' },
    'expires_at',
  ],
  ['PATCH', 'tokens/TOKEN', { role: 'owner' }, 'role'],

  ['PUT', 'quotas/TENANT', {}, 'limit'],
  ...[0, -1, 1.5, 1e308, 2 ** 50 + 1, '5', null].map((limit): BadInput => [
    'PUT',
    'quotas/TENANT',
    { limit },
    'limit',
  ]),
  ['PUT', 'quotas/TENANT', { limit: 5, colour: 1 }, 'colour'],
  ['PUT', 'quotas/TENANT', { limit: 5, tenant_id: 'TENANT' }, 'tenant_id'],
  ['PUT', 'quotas/TENANT', { limit: 5, name: 'a b' }, 'name'],
  ['PUT', 'quotas/TENANT', { limit: 5, name: 'x'.repeat(60) }, 'name'],
  ['PUT', 'quotas/TENANT', { limit: 5, period: 'fortnight' }, 'period'],
  ['PUT', 'quotas/TENANT', { limit: 5, unit: 'a b' }, 'unit'],
  ['PUT', 'quotas/TENANT', { limit: 5, mode: 'maybe' }, 'mode'],
  ['PUT', 'quotas/TENANT', { limit: 5, overcommit: 1 }, 'overcommit'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: [] }, 'teams'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: null }, 'teams'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: deep(500) }, 'teams.x.x'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: { Eng: {} } }, 'teams.Eng.limit'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: { 7: { limit: 6 } } }, 'teams.7.limit'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: { a: { limit: 1, size: 2 } } }, 'teams.a.size'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: { '': { limit: 1 } } }, 'teams'],
  ['PUT', 'quotas/TENANT', { limit: 5, teams: { 'a\u0000': { limit: 1 } } }, 'teams.a\u0000'],
  [
    'PUT',
    'quotas/TENANT',
    { limit: 5, teams: { eng: { limit: 4, users: { alice: { limit: 5 } } } } },
    'teams.eng.users.alice.limit',
  ],
  [
    'PUT',
    'quotas/TENANT',
    { limit: 500, teams: Object.fromEntries(many(201, (at) => [`t${at}`, { limit: 1 }])) },
    'teams',
  ],
  [
    'PUT',
    'quotas/TENANT',
    {
      limit: 5000,
      teams: {
        eng: { limit: 5000, users: Object.fromEntries(many(9000, (at) => [at, { limit: 1 }])) },
      },
    },
    'teams.eng.users',
  ],
  ['PATCH', 'quotas/TENANT', { limit: 0 }, 'limit'],
  ['PATCH', 'quotas/TENANT', { limit: 5, teams: { a: { limit: 6 } } }, 'teams.a.limit'],
  ['PATCH', 'quotas/TENANT', { used: 0 }, 'used'],
  ['POST', 'quotas/TENANT/top-up', {}, 'amount'],
  ['POST', 'quotas/TENANT/top-up', { amount: 5 }, 'reason'],
  ['POST', 'quotas/TENANT/top-up', { amount: 0, reason: 'x' }, 'amount'],
  ['POST', 'quotas/TENANT/top-up', { amount: 1.5, reason: 'x' }, 'amount'],
  ['POST', 'quotas/TENANT/top-up', { amount: 2 ** 50, reason: 'x' }, 'amount'],
  ['POST', 'quotas/TENANT/top-up', { amount: 5, reason: ' ' }, 'reason'],
  ['POST', 'quotas/TENANT/top-up', { amount: 5, reason: 'a\u0000' }, 'reason'],
  ['POST', 'quotas/TENANT/top-up', { amount: 5, reason: 'x'.repeat(501) }, 'reason'],
  ['POST', 'quotas/TENANT/top-up', { amount: 5, reason: 'x', author: 'me' }, 'author'],
  ['GET', 'quotas?colour=red', undefined, 'colour'],

  ['POST', 'webhooks', {}, 'url'],
  ['POST', 'webhooks', { url: 'https://example.com' }, 'events'],
  ['POST', 'webhooks', { url: 'https://example.com', events: [] }, 'events'],
  ['POST', 'webhooks', { url: 'https://example.com', events: ['all'] }, 'events[0]'],
  ...[
    'x',
    'http://example.com',
    'https://me:too@example.com',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    `https://example.com/${'x'.repeat(2048)}`,
    'https://example.com/\u0000',
  ].map((url): BadInput => ['POST', 'webhooks', { url, events: ['quota.threshold'] }, 'url']),
  [
    'POST',
    'webhooks',
    { url: 'https://example.com', events: ['quota.threshold'], secret: 'mine' },
    'secret',
  ],
  ['PATCH', 'webhooks/WEBHOOK', { url: 'https://127.0.0.1' }, 'url'],
  ['PATCH', 'webhooks/WEBHOOK', { events: [] }, 'events'],
  ['PATCH', 'webhooks/WEBHOOK', { tenant_id: null }, 'tenant_id'],
  ['POST', 'webhooks/WEBHOOK/rotate', { overlap: 1 }, 'overlap'],
  ['GET', 'webhooks?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'webhooks/WEBHOOK/deliveries?cursor=x', undefined, 'cursor'],

  ['DELETE', 'tenants/TENANT', { reason: 'x' }, 'reason'],
  ['DELETE', 'tenants/TENANT?force=1', undefined, 'force'],
  ['GET', 'tenants?name_prefix=%00', undefined, 'name_prefix'],
  ['GET', 'tenants?status=gone', undefined, 'status'],
  ['GET', 'keys?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'tokens?tenant_id=urn:uuid:00000000-0000-0000-0000-000000000000', undefined, 'tenant_id'],
  ['GET', 'plans?tenant_id=%27%20OR%201=1', undefined, 'tenant_id'],
  ['GET', 'audit?from=yesterday', undefined, 'from'],
  ['GET', 'audit?noun=wars', undefined, 'noun'],
  ['GET', 'usage?from=yesterday', undefined, 'from'],
  ['GET', 'usage?step=week', undefined, 'step'],
  ['GET', 'usage?limit=10', undefined, 'limit'],
  ['GET', 'usage?top=5', undefined, 'top'],
  ['GET', 'usage?group_by=colour', undefined, 'group_by'],
  ['GET', 'usage?resource=%00', undefined, 'resource'],
  ['GET', 'audit?object_id=%00', undefined, 'object_id'],
  ['GET', 'decisions?outcome=odd', undefined, 'outcome'],
  ['GET', 'decisions?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'decisions?subject=ann', undefined, 'subject'],
  ['GET', 'decisions?subject_hash=short', undefined, 'subject_hash'],
  ['GET', 'decisions?limit_name=%00', undefined, 'limit_name'],
  ['GET', 'decisions?from=yesterday', undefined, 'from'],
  ['GET', 'decisions?to=2026-02-30T00:00:00Z', undefined, 'to'],
  ['GET', 'decisions?cursor=x', undefined, 'cursor'],
  ['GET', 'decisions?limit=201', undefined, 'limit'],
  ['POST', 'decisions/erase', {}, 'tenant_id'],
  ['POST', 'decisions/erase', { tenant_id: 'TENANT' }, 'subject'],
  ['POST', 'decisions/erase', { tenant_id: 'TENANT', subject: '' }, 'subject'],
  ['POST', 'decisions/erase', { tenant_id: 'TENANT', subject: 'x'.repeat(1025) }, 'subject'],
  ['POST', 'decisions/erase', { tenant_id: 'TENANT', subject: 7 }, 'subject'],
  ['POST', 'decisions/erase', { tenant_id: 'TENANT', subject: 'a', reason: 'b' }, 'reason'],

  ...badRules,
];

onEveryAdmin('bad input', (suite) => {
  const ids: Record<string, string> = {};
  const place = (text: string) =>
    text.replaceAll(/[A-Z]{3,}(?=$|"|\/|\?)/g, (word) => ids[word] ?? word);

  beforeAll(async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    ids['TENANT'] = tenant_id;
    ids['PLAN'] = (await admin.post('plans', { tenant_id, name: 'p', limits: [window] })).body.id;
    ids['POLICY'] = (await admin.post('policies', { tenant_id, resource: 'GET:/x' })).body.id;
    ids['KEY'] = (await admin.post('keys', { tenant_id, name: 'k' })).body.id;
    await admin.put(`quotas/${tenant_id}`, { limit: 5 });
    const hook = { tenant_id, url: 'https://example.com', events: ['quota.threshold'] };
    ids['WEBHOOK'] = (await admin.post('webhooks', hook)).body.id;
    const override = { tenant_id, limit: 'm', numbers: { limit: 5 }, reason: 'r' };
    ids['OVERRIDE'] = (await admin.post('overrides', override)).body.id;
    const block = { tenant_id, subject: 'mallory', reason: 'r' };
    ids['BLOCK'] = (await admin.post('blocks', block)).body.id;
    ids['TOKEN'] = (await admin.makeToken('viewer')).id;
  });

  const send = ([method, path, body]: BadInput) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return suite.admin.ask(method, place(path), body === undefined ? {} : { body: place(text) });
  };

  it('is refused by the name of the field, and changes nothing', async () => {
    const { admin, rig } = suite;
    const before = await readEverything(rig.database.db);
    for (const one of cases) {
      const { status, body, text } = await send(one);
      const errors = body['errors'] as readonly { field: string }[] | undefined;
      expect([one, status, errors?.[0]?.field]).toEqual([one, 400, one[3]]);
      expect(text.length).toBeLessThan(2000);
    }
    expect(await readEverything(rig.database.db)).toBe(before);
    expect(admin.unexpected).toEqual([]);
  });

  it('costs little to refuse', async () => {
    // The database is a process of its own there, and whatever it does is not measured.
    if (suite.rig.kind !== 'postgres') return;
    const costs: number[] = [];
    for (const one of cases) {
      const usage = process.cpuUsage();
      await send(one);
      const { user, system } = process.cpuUsage(usage);
      costs.push((user + system) / 1000);
    }
    expect(Math.max(...costs)).toBeLessThan(50);
  });

  it.each([
    ['not JSON', '{"name":', 400, 'invalid_json'],
    ['a poisoned prototype', '{"name":"x","__proto__":{"tier":"gold"}}', 400, 'invalid_json'],
    ['too much', JSON.stringify({ name: 'x'.repeat(1_100_000) }), 413, 'body_too_large'],
    [
      'nested a thousand deep',
      `{"name":${'['.repeat(1000)}${']'.repeat(1000)}}`,
      400,
      'invalid_request',
    ],
  ])('that is %s is refused', async (_what, body, status, code) => {
    const answer = await suite.admin.post('tenants', body);
    expect(answer).toMatchObject({ status, body: { code } });
  });

  it('in another format is refused', async () => {
    const headers = { 'content-type': 'application/xml' };
    const answer = await suite.admin.post('tenants', '<tenant/>', { headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  describe('for an id', () => {
    it.each(['%00', "'", 'x', '..', '%2e%2e', '%F0%9F%98%80', '0'.repeat(500)])(
      'such as %s is the id of nothing',
      async (id) => {
        const { admin } = suite;
        for (const noun of [
          'tenants',
          'plans',
          'policies',
          'overrides',
          'blocks',
          'modes',
          'decisions',
          'keys',
          'tokens',
          'audit',
          'publications',
          'quotas',
          'webhooks',
        ]) {
          expect((await admin.get(`${noun}/${id}`)).status).toBe(404);
        }
        expect(admin.unexpected).toEqual([]);
      },
    );
  });
});

onEveryAdmin('room', (suite) => {
  it.each([
    ['plans', { name: 'p', limits: [window] }],
    ['policies', { resource: 'GET:/x' }],
    ['overrides', { limit: 'shared-m', numbers: { limit: 5 }, reason: 'r' }],
    ['blocks', { subject: 'mallory', reason: 'r' }],
    ['keys', { name: 'k' }],
    ['tokens', { name: 't', role: 'viewer' }],
    ['webhooks', { url: 'https://hooks.example.com', events: ['quota.threshold'] }],
  ] as const)('for %s of a tenant ends, and comes back with each that goes', async (noun, body) => {
    const { admin, rig } = suite;
    const tenant_id = await admin.makeTenant();
    if (noun === 'overrides') {
      await admin.post('plans', { name: 'shared', limits: [{ ...window, name: 'shared-m' }] });
    }
    const max = await fillRoom(rig.database.db, noun, tenant_id);
    const refused = await admin.post(noun, { ...body, tenant_id });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.detail).toContain(String(max));
    const { items } = (await admin.get(`${noun}?tenant_id=${tenant_id}&limit=1`)).body;
    expect((await admin.delete(`${noun}/${items[0]?.id}`)).status).toBe(200);
    expect((await admin.post(noun, { ...body, tenant_id })).status).toBe(201);
  });
});
