import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listed } from './world.ts';
import { onEveryAdmin } from './rig.ts';
import { newBlock, newMode, newOverride } from './world.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const stored = { version: 1, created_at: expect.stringMatching(instant) };
const window = { name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 };
const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;

onEveryAdmin('administration', (suite) => {
  describe('a tenant', () => {
    it('is made with defaults, read, changed and deleted', async () => {
      const { admin } = suite;
      const made = await admin.post('tenants', { name: 'Acme' });
      expect(made.status).toBe(201);
      expect(made.headers['etag']).toBe('"1"');
      expect(made.body).toEqual({
        id: expect.stringMatching(uuid),
        name: 'Acme',
        tier: 'free',
        plan_id: null,
        status: 'active',
        timezone: 'UTC',
        billing_anchor_day: 1,
        pool: null,
        ...stored,
        updated_at: made.body['created_at'],
        published: true,
      });
      const path = `tenants/${made.body.id}`;
      const { published: _, ...object } = made.body;
      expect((await admin.get(path)).body).toEqual(object);

      const pool = unique('large');
      await admin.post('pools', { name: pool });
      const fields = {
        name: 'Acme Ltd',
        tier: 'pro',
        status: 'suspended',
        timezone: 'europe/berlin',
        billing_anchor_day: 31,
        pool,
      };
      const changed = await admin.patch(path, fields);
      expect(changed.status).toBe(200);
      expect(changed.headers['etag']).toBe('"2"');
      expect(changed.body).toMatchObject({ ...fields, timezone: 'Europe/Berlin', version: 2 });
      expect((await admin.get(path)).headers['etag']).toBe('"2"');

      const deleted = await admin.delete(path);
      expect(deleted).toMatchObject({ status: 200, body: { deleted: true, published: true } });
      expect((await admin.get(path)).status).toBe(404);
      expect((await admin.patch(path, { name: 'x' })).status).toBe(404);
      expect((await admin.delete(path)).status).toBe(404);
    });

    it('takes all that is its own with it, and is still heard of as deleted', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      const plan = await admin.post('plans', { tenant_id: id, name: 'own', limits: [window] });
      await admin.patch(`tenants/${id}`, { plan_id: plan.body.id });
      const policy = await admin.post('policies', { tenant_id: id, resource: 'GET:/x' });
      const override = await admin.post('overrides', newOverride(id));
      const block = await admin.post('blocks', newBlock(id));
      const mode = await admin.put('modes', newMode(id));
      const key = await admin.post('keys', { tenant_id: id, name: 'k' });
      const token = await admin.makeToken('owner', id);
      expect((await admin.delete(`tenants/${id}`)).status).toBe(200);
      for (const path of [
        `plans/${plan.body.id}`,
        `policies/${policy.body.id}`,
        `overrides/${override.body.id}`,
        `blocks/${block.body.id}`,
        `modes/${mode.body.id}`,
        `keys/${key.body.id}`,
        `tokens/${token.id}`,
      ]) {
        expect((await admin.get(path)).status).toBe(404);
      }
      expect((await admin.get('tenants', { token: token.token })).status).toBe(401);
      const epoch = await rig.database.db
        .selectFrom('tenant_epochs')
        .select(['deleted', 'epoch', 'published_epoch'])
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow();
      expect(epoch.deleted).toBe(true);
      expect(epoch.epoch).toBe(epoch.published_epoch);
    });

    it('is on a plan of its own or a shared one, and on no other tenant’s', async () => {
      const { admin } = suite;
      const [id, other] = [await admin.makeTenant(), await admin.makeTenant()];
      const own = await admin.post('plans', { tenant_id: id, name: 'own', limits: [window] });
      const shared = await admin.post('plans', { name: unique('shared'), limits: [window] });
      const foreign = await admin.post('plans', {
        tenant_id: other,
        name: 'own',
        limits: [window],
      });
      for (const [planId, status] of [
        [own.body.id, 200],
        [shared.body.id, 200],
        [null, 200],
        [foreign.body.id, 404],
        [randomUUID(), 404],
        ['no-id', 404],
      ] as const) {
        const answer = await admin.patch(`tenants/${id}`, { plan_id: planId });
        expect({ planId, status: answer.status }).toEqual({ planId, status });
      }
      const made = await admin.post('tenants', { name: 'x', plan_id: own.body.id });
      expect(made.status).toBe(404);
    });

    it('is listed by tier, status and how its name begins', async () => {
      const { admin } = suite;
      const [name, tier] = [unique('100%_a'), unique('tier')];
      const [a, b] = [
        await admin.makeTenant({ name: `${name} one`, tier }),
        await admin.makeTenant({ name: `${name} two`, tier, status: 'suspended' }),
      ];
      const list = async (query: string) =>
        (await admin.get(`tenants?${query}`)).body.items.map(({ id }) => id);
      expect(await list(`tier=${tier}`)).toEqual([a, b]);
      expect(await list(`tier=${tier}&status=suspended`)).toEqual([b]);
      expect(await list(`name_prefix=${encodeURIComponent(`${name} t`)}`)).toEqual([b]);
      expect(await list(`name_prefix=${encodeURIComponent('100__')}&tier=${tier}`)).toEqual([]);
    });
  });

  describe('a plan', () => {
    it('is made in full or in short, stored in one spelling, changed and deleted', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const short = await admin.post('plans', {
        tenant_id: id,
        name: 'pro',
        algorithm: 'token_bucket',
        bucket_capacity: 100,
        refill_rate_per_sec: 20,
      });
      expect(short.status).toBe(201);
      expect(short.body).toMatchObject({
        tenant_id: id,
        name: 'pro',
        limits: [{ name: 'token_bucket', bucket_capacity: 100, refill_rate_per_sec: 20 }],
        ...stored,
        published: true,
      });
      const path = `plans/${short.body.id}`;
      const number = await admin.patch(path, { bucket_capacity: 50 });
      expect(number.body).toMatchObject({ limits: [{ bucket_capacity: 50 }], version: 2 });
      const log = { name: 'log', algorithm: 'sliding_window', limit: 5, window_seconds: 1 };
      const full = await admin.patch(path, {
        name: 'max',
        limits: [log, { ...window, mode: 'on' }],
      });
      expect(full.body).toMatchObject({
        name: 'max',
        limits: [{ algorithm: 'sliding_window_log' }, { mode: 'enforce' }],
        version: 3,
      });
      const { published: _, ...object } = full.body;
      expect((await admin.get(path)).body).toEqual(object);
      expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
      expect((await admin.get(path)).status).toBe(404);
    });

    it('is made from a template, under its name or another', async () => {
      const { admin } = suite;
      const { body } = await admin.get('plans/templates');
      const names = body.items.map((one) => one['name']);
      expect(names).toEqual(['free', 'starter', 'business', 'enterprise']);
      const tenant_id = await admin.makeTenant();
      for (const template of body.items) {
        const made = await admin.post('plans', { tenant_id, template: template['name'] });
        expect(made).toMatchObject({
          status: 201,
          body: { tenant_id, name: template['name'], limits: template['limits'], version: 1 },
        });
        expect((await admin.get(`plans/${made.body.id}`)).body).toMatchObject({
          limits: template['limits'],
        });
      }
      const again = await admin.post('plans', { tenant_id, template: 'free' });
      expect(again.status).toBe(409);
      const named = await admin.post('plans', { tenant_id, template: 'free', name: 'trial' });
      expect(named.body).toMatchObject({ name: 'trial', limits: body.items[0]?.['limits'] });
      const shared = await admin.post('plans', { template: 'free', name: unique('free') });
      expect(shared.body).toMatchObject({ tenant_id: null, published: false });
    });

    it('that is shared is published in the background, and the answer says how far it is', async () => {
      const { admin } = suite;
      await admin.makeTenant();
      const made = await admin.post('plans', { name: unique('shared'), limits: [window] });
      expect(made.body).toMatchObject({ tenant_id: null, published: false });
      const { epoch } = made.body.publication;
      expect(made.body.publication).toEqual({ epoch, total: null, done: 0 });
      const before = await admin.get(`publications/${epoch}`);
      expect(before.body).toMatchObject({ epoch, done: 0, finished_at: null });
      expect(before.body['cause']).toBe(`create plan ${made.body.id}`);
      while (await admin.publisher.publishShared());
      const after = await admin.get(`publications/${epoch}`);
      expect(after.body['finished_at']).toMatch(instant);
      expect(after.body['done']).toBe(after.body['total']);
      const [newest] = (await admin.get('publications?limit=1')).body.items;
      expect(newest).toEqual(after.body);
    });

    it('has a name of its own among those of its tenant, and among the shared ones', async () => {
      const { admin } = suite;
      const [a, b] = [await admin.makeTenant(), await admin.makeTenant()];
      const name = unique('pro');
      for (const tenant of [a, b, null]) {
        const plan = { tenant_id: tenant, name, limits: [window] };
        expect((await admin.post('plans', plan)).status).toBe(201);
        const again = await admin.post('plans', plan);
        expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
        expect(again.body['errors']).toEqual([{ field: 'name', problem: 'is taken' }]);
      }
      const other = await admin.post('plans', { tenant_id: a, name: 'other', limits: [window] });
      expect((await admin.patch(`plans/${other.body.id}`, { name })).status).toBe(409);
      expect((await admin.patch(`plans/${other.body.id}`, { name: 'other' })).status).toBe(200);
    });

    it('in use is not deleted, nor renamed under those who find it by their tier', async () => {
      const { admin } = suite;
      const name = unique('tier');
      const plan = await admin.post('plans', { name, limits: [window] });
      const path = `plans/${plan.body.id}`;
      const byTier = await admin.makeTenant({ tier: name });
      const byId = await admin.makeTenant({ plan_id: plan.body.id });
      const refused = await admin.delete(path);
      expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(refused.body.detail).toContain('2 tenants are on this plan');
      expect((await admin.patch(path, { name: unique('x') })).status).toBe(409);
      await admin.patch(`tenants/${byTier}`, { tier: 'free' });
      expect((await admin.delete(path)).body.detail).toContain('1 tenant is on this plan');
      expect((await admin.patch(path, { name: unique('x') })).status).toBe(200);
      await admin.patch(`tenants/${byId}`, { plan_id: null });
      expect((await admin.delete(path)).status).toBe(200);
    });

    it('is listed by tenant, or as shared', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const own = await admin.post('plans', { tenant_id: id, name: 'a', limits: [window] });
      const shared = await admin.post('plans', { name: unique('s'), limits: [window] });
      const list = async (query: string) => (await admin.get(`plans?${query}`)).body.items;
      expect((await list(`tenant_id=${id}`)).map((plan) => plan.id)).toEqual([own.body.id]);
      expect((await list(`name=${String(shared.body['name'])}`)).length).toBe(1);
      const all = await list('tenant_id=shared&limit=200');
      expect(all.map((plan) => plan.id)).toContain(shared.body.id);
      expect(all.every((plan) => plan.tenant_id === null)).toBe(true);
      expect((await admin.get('plans?tenant_id=nobody')).status).toBe(400);
    });

    it('of a tenant that does not exist is not made', async () => {
      const plan = { tenant_id: randomUUID(), name: 'a', limits: [window] };
      expect((await suite.admin.post('plans', plan)).status).toBe(404);
    });
  });

  describe('a policy', () => {
    it('is made with defaults, read, changed and deleted', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const made = await admin.post('policies', { tenant_id: id, resource: 'GET:/orders/{id}' });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        tenant_id: id,
        resource: 'GET:/orders/{id}',
        cost: null,
        costs: {},
        max_cost: null,
        limits: [],
        mode: null,
        ...stored,
        published: true,
      });
      const path = `policies/${made.body.id}`;
      const fields = { cost: 2, costs: { elements: 50 }, max_cost: 100, limits: [window] };
      const changed = await admin.patch(path, { ...fields, mode: 'monitor' });
      expect(changed.body).toMatchObject({ ...fields, mode: 'shadow', version: 2 });
      const partly = await admin.patch(path, { mode: null });
      expect(partly.body).toMatchObject({ ...fields, mode: null, version: 3 });
      const { published: _, ...object } = partly.body;
      expect((await admin.get(path)).body).toEqual(object);
      expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
      expect((await admin.get(path)).status).toBe(404);
    });

    it('is the only one of its tenant for a resource', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const resource = `GET:/${randomUUID()}`;
      for (const tenant of [id, null]) {
        const policy = { tenant_id: tenant, resource };
        expect((await admin.post('policies', policy)).status).toBe(201);
        const again = await admin.post('policies', policy);
        expect(again.status).toBe(409);
        expect(again.body['errors']).toEqual([{ field: 'resource', problem: 'is taken' }]);
      }
      const list = await admin.get(`policies?resource=${encodeURIComponent(resource)}`);
      expect(list.body.items.length).toBe(2);
      const other = await admin.post('policies', { tenant_id: id, resource: 'GET:/other' });
      expect((await admin.patch(`policies/${other.body.id}`, { resource })).status).toBe(409);
    });

    it('counts all tenants together only when it is for all of them', async () => {
      const { admin } = suite;
      const limits = [{ ...window, per: ['global', 'resource'] }];
      const shared = await admin.post('policies', { resource: `GET:/${randomUUID()}`, limits });
      expect(shared).toMatchObject({ status: 201, body: { limits } });
      const tenant_id = await admin.makeTenant();
      const own = await admin.post('policies', { tenant_id, resource: 'GET:/x', limits });
      expect(own.status).toBe(400);
      expect(own.body.detail).toMatch(/^limits\[0\]\.per: .*without tenant_id/);
    });

    it('keeps its costs within the most that a call may name', async () => {
      const { admin } = suite;
      const tenant_id = await admin.makeTenant();
      const policy = { tenant_id, resource: 'GET:/x', max_cost: 5 };
      expect((await admin.post('policies', { ...policy, cost: 6 })).status).toBe(400);
      const costly = await admin.post('policies', { ...policy, costs: { elements: 6 } });
      expect(costly.body['errors']).toMatchObject([{ field: 'costs.elements' }]);
    });
  });

  describe('a key', () => {
    it('is shown once, with its hash, and neither is told again', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      const made = await admin.post('keys', { tenant_id: id, name: 'server' });
      expect(made.status).toBe(201);
      expect(made.body).toEqual({
        id: expect.stringMatching(/^[0-9A-Za-z]{21}$/),
        key: expect.stringMatching(/^slk_[0-9A-Za-z]{21}_[0-9A-Za-z]{49}$/),
        key_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        tenant_id: id,
        name: 'server',
        scopes: ['check', 'settle', 'usage'],
        status: 'active',
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        ...stored,
        updated_at: made.body['created_at'],
        published: true,
      });
      const row = await rig.database.db
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', made.body.id)
        .executeTakeFirstOrThrow();
      expect(row.key_hash).toBe(made.body['key_hash']);
      expect(JSON.stringify(row)).not.toContain(made.body.key.slice(26, 69));
      for (const path of [`keys/${made.body.id}`, `keys?tenant_id=${id}`]) {
        const { text } = await admin.get(path);
        expect(text).not.toContain(made.body.key);
        expect(text).not.toContain(made.body['key_hash']);
      }
    });

    it('is changed, and revoked for good however often that is asked for', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const made = await admin.post('keys', { tenant_id: id, name: 'a' });
      const path = `keys/${made.body.id}`;
      const fields = {
        name: 'b',
        scopes: ['check', 'plan:select'],
        expires_at: '2100-01-01T00:00:00Z',
      };
      expect((await admin.patch(path, fields)).body).toMatchObject({
        name: 'b',
        scopes: ['check', 'plan:select'],
        expires_at: '2100-01-01T00:00:00.000Z',
        version: 2,
      });
      expect((await admin.patch(path, { expires_at: null })).body['expires_at']).toBeNull();
      const revoked = await admin.delete(path, { headers: { 'if-match': '"3"' } });
      expect(revoked.body).toEqual({ deleted: true, published: true });
      const first = await admin.get(path);
      expect(first.body).toMatchObject({ status: 'revoked', version: 4 });
      expect((await admin.delete(path, { headers: { 'if-match': '"3"' } })).status).toBe(200);
      expect((await admin.get(path)).body).toEqual(first.body);
      expect((await admin.patch(path, { name: 'c' })).status).toBe(409);
      expect((await admin.post(`${path}/rotate`, {})).status).toBe(409);
    });

    it('is rotated: a second one with the same rights, and an end for the first', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const made = await admin.post('keys', { tenant_id: id, name: 'a', scopes: ['usage'] });
      const rotated = await admin.post(`keys/${made.body.id}/rotate`, { overlap_seconds: 60 });
      expect(rotated.status).toBe(201);
      const { replaces, ...key } = rotated.body;
      expect(key).toMatchObject({ name: 'a', scopes: ['usage'], status: 'active', version: 1 });
      expect(key.id).not.toBe(made.body.id);
      expect(replaces.id).toBe(made.body.id);
      const leftMs = Date.parse(replaces.expires_at) - Date.now();
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(60_000);
      const live = await admin.get(`keys?tenant_id=${id}&status=active`);
      expect(live.body.items.length).toBe(2);
      expect((await admin.get(`keys/${replaces.id}`)).body).toMatchObject({
        expires_at: replaces.expires_at,
        version: 2,
      });
    });

    it('that is rotated at once is over at once, and by default in a day', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const made = await admin.post('keys', { tenant_id: id, name: 'a' });
      const next = await admin.post(`keys/${made.body.id}/rotate`, { overlap_seconds: 0 });
      expect((await admin.get(`keys/${made.body.id}`)).body['status']).toBe('expired');
      expect((await admin.post(`keys/${made.body.id}/rotate`, {})).status).toBe(409);
      const bare = await admin.ask('POST', `keys/${next.body.id}/rotate`);
      const { expires_at } = bare.body.replaces;
      const leftMs = Date.parse(expires_at) - Date.now();
      expect(leftMs).toBeGreaterThan(86_000_000);
      expect(leftMs).toBeLessThanOrEqual(86_400_000);
    });

    it('keeps an end that comes before the overlap is over', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const end = new Date(Date.now() + 60_000).toISOString();
      const made = await admin.post('keys', { tenant_id: id, name: 'a', expires_at: end });
      const rotated = await admin.post(`keys/${made.body.id}/rotate`, {});
      expect(rotated.body).toMatchObject({ expires_at: end, replaces: { expires_at: end } });
    });

    it('is listed by tenant and by status', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      const ids: Record<string, string> = {};
      for (const status of ['active', 'expired', 'revoked']) {
        ids[status] = (await admin.post('keys', { tenant_id: id, name: status })).body.id;
      }
      await admin.delete(`keys/${ids['revoked']}`);
      await rig.database.db
        .updateTable('api_keys')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('id', '=', String(ids['expired']))
        .execute();
      for (const status of ['active', 'expired', 'revoked']) {
        const { body } = await admin.get(`keys?tenant_id=${id}&status=${status}`);
        expect(body.items).toMatchObject([{ id: ids[status], status }]);
      }
    });
  });

  describe('a token', () => {
    it('is shown once, opens until it is revoked, and its use is noted', async () => {
      const { admin } = suite;
      const made = await admin.post('tokens', { name: 'ci', role: 'viewer' });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        token: expect.stringMatching(/^slt_[0-9A-Za-z]{21}_[0-9A-Za-z]{49}$/),
        role: 'viewer',
        tenant_id: null,
        last_used_at: null,
        published: true,
      });
      const { token, id } = made.body;
      const path = `tokens/${id}`;
      expect((await admin.get('tenants', { token })).status).toBe(200);
      const used = await admin.get(path);
      expect(used.body['last_used_at']).toMatch(instant);
      expect(used.text).not.toContain(token);
      expect((await admin.get('tenants', { token })).status).toBe(200);
      expect((await admin.get(path)).body['last_used_at']).toBe(used.body['last_used_at']);
      const changed = await admin.patch(path, { name: 'cd', expires_at: '2100-01-01T00:00:00Z' });
      expect(changed.body).toMatchObject({ name: 'cd', version: 2 });
      expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
      expect((await admin.get('tenants', { token })).status).toBe(401);
      expect((await admin.get(path)).body).toMatchObject({ status: 'revoked', version: 3 });
      expect((await admin.delete(path)).status).toBe(200);
      expect((await admin.patch(path, { name: 'x' })).status).toBe(409);
    });

    it('is listed by role and tenant', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      await admin.makeToken('viewer', id);
      const owner = await admin.makeToken('owner', id);
      const list = await admin.get(`tokens?tenant_id=${id}&role=owner`);
      expect(list.body.items).toMatchObject([{ id: owner.id, role: 'owner', tenant_id: id }]);
    });
  });

  it('nothing went wrong that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });

  it('keeps everything over a restart', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant({ name: 'kept', tier: 'pro' });
    await admin.post('plans', { tenant_id: id, name: 'kept', limits: [window] });
    await admin.post('policies', { tenant_id: id, resource: 'GET:/kept', limits: [window] });
    await admin.post('overrides', newOverride(id));
    await admin.post('blocks', newBlock(id));
    await admin.put('modes', newMode(id));
    await admin.post('keys', { tenant_id: id, name: 'kept' });
    const { token } = await admin.makeToken('viewer', id);
    const paths = listed.filter((noun) => noun !== 'tokens');
    const readAll = () =>
      Promise.all(paths.map(async (path) => (await suite.admin.get(`${path}?limit=200`)).body));
    const before = await readAll();
    await suite.restart();
    expect(await readAll()).toEqual(before);
    expect((await suite.admin.get(`tenants/${id}`, { token })).status).toBe(200);
  });
});
