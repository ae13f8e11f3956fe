import { beforeAll, describe, expect, it } from 'vitest';
import { mint } from '../../../platform/src/control/credentials/credential.ts';
import { sharedSecret } from '../../../platform/src/database/index.ts';
import { type AdminRoute, routes } from '../../../platform/src/doors/http/admin/routes.ts';
import { roles } from '../../../platform/src/control/actor.ts';
import { type Answer, type Asking, onEveryAdmin } from './rig.ts';
import { makeWorld, readEverything, type Request, requestFor, type World } from './world.ts';

const isRead = ({ method }: AdminRoute) => method === 'GET';
const named = (some: readonly AdminRoute[]) =>
  some.map((route) => [`${route.noun}.${route.verb}`, route] as const);

onEveryAdmin('who may do what', (suite) => {
  let world: World;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    const { admin, rig } = suite;
    world = await makeWorld(admin);
    const own = world.own.tenants;
    for (const role of roles) {
      tokens[role] = (await admin.makeToken(role)).token;
      tokens[`tenant's ${role}`] = (await admin.makeToken(role, own)).token;
    }
    const revoked = await admin.makeToken('owner');
    await admin.delete(`tokens/${revoked.id}`);
    const expired = await admin.makeToken('owner');
    await rig.database.db
      .updateTable('admin_tokens')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', expired.id)
      .execute();
    const real = await admin.makeToken('owner');
    Object.assign(tokens, { revoked: revoked.token, expired: expired.token, real: real.token });
    const markSecret = await sharedSecret(rig.database.db, 'key_id_secret');
    tokens['never made'] = mint('token', markSecret).text;
    tokens['made elsewhere'] = mint('token', 'another secret').text;
    tokens['a key'] = mint('key', markSecret).text;
  });

  /** Asks in each of these ways, and sees to it that nothing was changed by any of them. */
  async function allRefused(request: Request, askings: readonly Asking[]) {
    const { admin, rig } = suite;
    const before = await readEverything(rig.database.db);
    const answers = [];
    for (const asking of askings) {
      const answer = await admin.ask(request.method, request.path, {
        ...asking,
        ...('body' in request && { body: request.body }),
      });
      expect(answer.headers['content-type']).toBe('application/problem+json');
      answers.push(answer);
    }
    expect(await readEverything(rig.database.db)).toBe(before);
    return answers;
  }

  async function refused(request: Request, asking: Asking) {
    const [answer] = await allRefused(request, [asking]);
    return answer as Answer;
  }

  const ofToken = (name: string): Asking => ({ token: String(tokens[name]) });

  describe.each(named(routes))('%s', (_name, route) => {
    it('asks for a token that is known and live', async () => {
      const request = requestFor(route, world.own);
      const real = String(tokens['real']);
      const wrongSecret = `${real.slice(0, 26)}${mint('token', 'x').text.slice(26)}`;
      const none: Asking[] = [
        { token: null },
        { token: null, headers: { authorization: 'Bearer ' } },
        { token: null, headers: { authorization: `Basic ${real}` } },
        { token: `${real} x` },
        { token: 'x'.repeat(2000) },
      ];
      const wrong: Asking[] = [
        { token: real.slice(0, -1) },
        { token: wrongSecret },
        ...['never made', 'made elsewhere', 'a key', 'revoked', 'expired'].map(ofToken),
      ];
      const told = new Set<string>();
      for (const answer of await allRefused(request, [...none, ...wrong])) {
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
        told.add(answer.body.detail);
      }
      // One text where there is no token, and one for all that is wrong with one.
      expect(told.size).toBe(2);
    });

    it(`refuses roles below ${route.least}`, async () => {
      const request = requestFor(route, world.own);
      const below = roles.slice(0, roles.indexOf(route.least));
      const names = below.flatMap((role) => [role, `tenant's ${role}`]);
      for (const answer of await allRefused(request, names.map(ofToken))) {
        expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      }
    });
  });

  const lists = routes.filter(({ verb, tenants }) => verb === 'list' && tenants);
  // Who asks about itself names nobody.
  const others = routes.filter(({ verb }) => verb !== 'list' && verb !== 'self');

  it.each(named(lists))("%s shows a tenant's token nothing of another", async (_name, route) => {
    const { status, text, body } = await suite.admin.get(route.noun, ofToken("tenant's owner"));
    expect(status).toBe(200);
    expect(body.items.length).toBeGreaterThan(0);
    const { publications: _, ...foreign } = world.foreign;
    for (const id of Object.values(foreign)) expect(text).not.toContain(id);
  });

  it.each(named(others))(
    "%s treats another tenant's as what does not exist",
    async (_name, route) => {
      const asking = ofToken("tenant's owner");
      const foreign = await refused(requestFor(route, world.foreign), asking);
      const nothing = await refused(requestFor(route, world.nothing), asking);
      expect(foreign.status).toBe(route.tenants ? 404 : 403);
      // The same to the letter.
      const { request_id: id } = foreign.body;
      expect({ ...nothing.body, request_id: id }).toEqual(foreign.body);
    },
  );

  const sharedWrites = others.filter(
    (route) =>
      route.noun !== 'tenants' &&
      route.noun !== 'keys' &&
      !isRead(route) &&
      route.verb !== 'create',
  );

  it.each(named(sharedWrites))(
    "%s lets a tenant's token change nothing of the platform's",
    async (_name, route) => {
      const objects = { ...world.nothing, ...world.platform };
      const answer = await refused(requestFor(route, objects), ofToken("tenant's owner"));
      expect(answer.status).toBe(route.tenants ? 404 : 403);
    },
  );

  it('a viewer of the platform reads everything', async () => {
    const everything = [world.own, world.foreign, { ...world.own, ...world.platform }];
    for (const route of routes.filter((route) => isRead(route) && route.least === 'viewer')) {
      for (const objects of everything) {
        const { path } = requestFor(route, objects);
        expect((await suite.admin.get(path, ofToken('viewer'))).status).toBe(200);
      }
    }
  });

  it("a tenant's token finds its own, and the shared plan and policies that it is under", async () => {
    const { admin } = suite;
    const token = String(tokens["tenant's viewer"]);
    const { tokens: _, publications: __, counters: ___, ...rest } = world.own;
    const { usage: ____, rollout: _____, pools: ______, me: _______, ...own } = rest;
    for (const [noun, id] of Object.entries(own)) {
      expect((await admin.get(`${noun}/${id}`, { token })).status).toBe(200);
    }
    expect((await admin.get(`policies/${world.platform.policies}`, { token })).status).toBe(200);
    expect((await admin.get(`modes/${world.platform.modes}`, { token })).status).toBe(200);
    expect((await admin.get(`blocks/${world.platform.blocks}`, { token })).status).toBe(404);
    expect((await admin.get(`plans/${world.platform.plans}`, { token })).status).toBe(404);
    await admin.patch(`tenants/${world.own.tenants}`, { plan_id: world.platform.plans });
    expect((await admin.get(`plans/${world.platform.plans}`, { token })).status).toBe(200);
    const { body } = await admin.get('plans?tenant_id=shared', { token });
    expect(body.items).toMatchObject([{ id: world.platform.plans }]);
    await admin.patch(`tenants/${world.own.tenants}`, { plan_id: null });
    const shared = await admin.get(`plans/${world.platform.plans}`);
    await admin.patch(`tenants/${world.own.tenants}`, { tier: shared.body['name'] });
    expect((await admin.get(`plans/${world.platform.plans}`, { token })).status).toBe(200);
    await admin.patch(`tenants/${world.own.tenants}`, { tier: 'free' });
  });

  it.each([...roles, ...roles.map((role) => `tenant's ${role}`)])(
    'a token (%s) is told what it is, and of its secret nothing',
    async (name) => {
      const { status, body, text } = await suite.admin.get('me', ofToken(name));
      expect(status).toBe(200);
      expect(body).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        role: name.replace("tenant's ", ''),
        tenant_id: name.startsWith('tenant') ? world.own.tenants : null,
        expires_at: null,
      });
      expect(text).not.toContain(String(tokens[name]).slice(26));
    },
  );

  it('the token of the configuration is told that it is its owner', async () => {
    const { body } = await suite.admin.get('me');
    expect(body).toMatchObject({ id: 'bootstrap', role: 'owner', tenant_id: null });
  });

  describe("a tenant's owner", () => {
    it('changes the name of its tenant, and nothing that it is limited by', async () => {
      const { admin } = suite;
      const token = String(tokens["tenant's owner"]);
      const path = `tenants/${world.own.tenants}`;
      expect((await admin.patch(path, { name: 'We' }, { token })).status).toBe(200);
      for (const fields of [
        { tier: 'gold' },
        { plan_id: null },
        { status: 'active' },
        { timezone: 'Asia/Tokyo' },
        { billing_anchor_day: 3 },
        { pool: null },
        { name: 'We', tier: 'gold' },
      ]) {
        const answer = await refused({ method: 'PATCH', path, body: fields }, { token });
        expect(answer.status).toBe(403);
        expect(answer.body.detail).toMatch(/limited by/);
      }
    });

    it('makes, rotates and revokes keys, but none that chooses its plan', async () => {
      const { admin } = suite;
      const token = String(tokens["tenant's operator"]);
      const input = { tenant_id: world.own.tenants, name: 'mine' };
      const made = await admin.post('keys', input, { token });
      expect(made.status).toBe(201);
      const path = `keys/${made.body.id}`;
      const scopes = ['check', 'plan:select'];
      const request = { method: 'POST', path: 'keys', body: { ...input, scopes } };
      expect((await refused(request, { token })).status).toBe(403);
      const patch = { method: 'PATCH', path, body: { scopes } };
      expect((await refused(patch, { token })).status).toBe(403);
      expect((await admin.post(`${path}/rotate`, {}, { token })).status).toBe(201);
      expect((await admin.delete(path, { token })).status).toBe(200);
      const granted = await admin.post('keys', { ...input, scopes });
      const rotate = { method: 'POST', path: `keys/${granted.body.id}/rotate`, body: {} };
      expect((await refused(rotate, { token })).status).toBe(403);
    });

    it('blocks its own callers, and lets none of them bypass a limit', async () => {
      const { admin } = suite;
      const token = String(tokens["tenant's operator"]);
      const input = { tenant_id: world.own.tenants, subject: 'mallory', reason: 'abuse' };
      const made = await admin.post('blocks', input, { token });
      expect(made).toMatchObject({ status: 201, body: { action: 'block' } });
      const path = `blocks/${made.body.id}`;
      for (const [body, status] of [
        [{ ...input, action: 'bypass' }, 403],
        [{ ...input, tenant_id: null }, 403],
        [{ subject: 'x', reason: 'r' }, 403],
        [{ ...input, tenant_id: world.foreign.tenants }, 404],
        [{ ...input, subject: null, key_id: world.foreign.keys }, 404],
      ] as const) {
        const answer = await refused({ method: 'POST', path: 'blocks', body }, { token });
        expect({ body, status: answer.status }).toEqual({ body, status });
      }
      const bypass = { method: 'PATCH', path, body: { action: 'bypass' } };
      expect((await refused(bypass, { token })).status).toBe(403);
      expect((await admin.patch(path, { reason: 'still' }, { token })).status).toBe(200);
      expect((await admin.delete(path, { token })).status).toBe(200);
      const given = await admin.post('blocks', { ...input, action: 'bypass' });
      const theirs = `blocks/${given.body.id}`;
      expect((await admin.get(theirs, { token })).status).toBe(200);
      for (const method of ['PATCH', 'DELETE'] as const) {
        const body = method === 'PATCH' ? { body: { action: 'block' } } : {};
        expect((await refused({ method, path: theirs, ...body }, { token })).status).toBe(403);
      }
    });

    it('makes tokens of its tenant only', async () => {
      const { admin } = suite;
      const token = String(tokens["tenant's owner"]);
      const input = { name: 'mine', role: 'owner' };
      const own = { ...input, tenant_id: world.own.tenants };
      const made = await admin.post('tokens', own, { token });
      expect(made.body).toMatchObject({ tenant_id: world.own.tenants, role: 'owner' });
      for (const [tenant, status] of [
        [null, 403],
        [undefined, 403],
        [world.foreign.tenants, 404],
      ] as const) {
        const body = tenant === undefined ? input : { ...input, tenant_id: tenant };
        const answer = await refused({ method: 'POST', path: 'tokens', body }, { token });
        expect(answer.status).toBe(status);
      }
      const list = await admin.get('tokens?limit=200', { token });
      const tenants = list.body.items.map((one) => one['tenant_id']);
      expect(new Set(tenants)).toEqual(new Set([world.own.tenants]));
    });
  });

  it('nothing went wrong that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});
