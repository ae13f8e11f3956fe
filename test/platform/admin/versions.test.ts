import { describe, expect, it } from 'vitest';
import { onEveryAdmin } from './rig.ts';
import { changeOf, makeWorld, requestFor } from './world.ts';
import { routes, unversioned } from '../../../platform/src/doors/http/admin/routes.ts';

const limits = [{ name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 }];
const changes = routes.filter(
  ({ method, verb }) => method !== 'GET' && !unversioned.includes(verb),
);

onEveryAdmin('changes by several', (suite) => {
  it.each(changes.map((route) => [`${route.noun}.${route.verb}`, route] as const))(
    '%s of what somebody else has changed is refused, and told the version',
    async (_name, route) => {
      const { admin } = suite;
      const { own } = await makeWorld(admin);
      const { method, path, body } = requestFor(route, own);
      const object = `${route.noun}/${own[route.noun]}`;
      const change = changeOf(route.noun, own);
      expect((await admin.ask(change.method, change.path, change)).status).toBe(200);
      const current = await admin.get(object);
      const attempts = [
        { headers: { 'if-match': '"1"' }, body },
        { body: { ...(body as object | undefined), version: 1 } },
      ];
      for (const attempt of attempts) {
        const answer = await admin.ask(method, path, attempt);
        expect(answer).toMatchObject({ status: 409, body: { code: 'version_conflict' } });
        expect(answer.headers['etag']).toBe('"2"');
        expect(await admin.get(object)).toMatchObject({ body: current.body });
      }
      const agreed = await admin.ask(method, path, { headers: { 'if-match': '"2"' }, body });
      const makes = route.verb === 'rotate' || route.verb === 'topUp';
      expect(agreed.status).toBe(makes ? 201 : 200);
    },
  );

  it('a version that contradicts If-Match is an error', async () => {
    const { admin } = suite;
    const path = `tenants/${await admin.makeTenant()}`;
    const headers = { 'if-match': '"2"' };
    expect((await admin.patch(path, { name: 'x', version: 1 }, { headers })).status).toBe(400);
    expect((await admin.delete(`${path}?version=1`, { headers })).status).toBe(400);
    expect((await admin.delete(`${path}?version=2`)).status).toBe(409);
    expect((await admin.delete(`${path}?version=1`)).status).toBe(200);
  });

  it('of twenty at once with one version exactly one wins, and the others change nothing', async () => {
    const { admin } = suite;
    const path = `tenants/${await admin.makeTenant()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => admin.patch(path, { name: `n${at}`, version: 1 })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    const { body } = await admin.get(path);
    expect(body).toMatchObject({ version: 2, name: won[0]?.body['name'] });
    const audit = await admin.get(`audit?object_id=${body.id}`);
    expect(audit.body.items).toHaveLength(2);
  });

  it('twenty at once without a version all come to pass, one after another', async () => {
    const { admin } = suite;
    const path = `tenants/${await admin.makeTenant()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => admin.patch(path, { name: `n${at}` })),
    );
    const versions = answers.map(({ body }) => Number(body['version']));
    expect(versions.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 2),
    );
  });

  it('of ten plans of one name made at once one is made, whether shared or not', async () => {
    const { admin } = suite;
    for (const tenant_id of [await admin.makeTenant(), null]) {
      const name = `same-${String(tenant_id).slice(-12)}-${Date.now()}`;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => admin.post('plans', { tenant_id, name, limits })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(9);
    }
  });

  it('a shared plan is never deleted under a tenant that is put on it', async () => {
    const { admin } = suite;
    const tenant = `tenants/${await admin.makeTenant()}`;
    for (let round = 0; round < 10; round += 1) {
      const name = `race-${round}-${Date.now()}`;
      const { body: plan } = await admin.post('plans', { name, limits });
      const [put, deleted] = await Promise.all([
        admin.patch(tenant, { plan_id: plan.id }),
        admin.delete(`plans/${plan.id}`),
      ]);
      // One of the two was first, and the other heard of it.
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([put.status, deleted.status]);
      await admin.patch(tenant, { plan_id: null });
    }
  });

  it('what is made for a tenant that is deleted meanwhile goes with it or is not made', async () => {
    const { admin, rig } = suite;
    for (let round = 0; round < 5; round += 1) {
      const tenant_id = await admin.makeTenant();
      const answers = await Promise.all([
        admin.post('keys', { tenant_id, name: 'k' }),
        admin.post('plans', { tenant_id, name: 'p', limits }),
        admin.post('tokens', { tenant_id, name: 't', role: 'viewer' }),
        admin.delete(`tenants/${tenant_id}`),
        admin.post('policies', { tenant_id, resource: 'GET:/x' }),
        admin.patch(`tenants/${tenant_id}`, { name: 'x' }),
      ]);
      expect(answers[3]?.status).toBe(200);
      for (const { status } of answers) expect([200, 201, 404]).toContain(status);
      for (const table of ['api_keys', 'plans', 'policies', 'admin_tokens'] as const) {
        const rows = await rig.database.db
          .selectFrom(table)
          .select('tenant_id')
          .where('tenant_id', '=', tenant_id)
          .execute();
        expect(rows).toEqual([]);
      }
      const epoch = await rig.database.db
        .selectFrom('tenant_epochs')
        .select('deleted')
        .where('tenant_id', '=', tenant_id)
        .executeTakeFirst();
      expect(epoch).toEqual({ deleted: true });
    }
  });

  describe('at the end', () => {
    it('nothing went wrong that nobody foresaw', () => {
      expect(suite.admin.unexpected).toEqual([]);
    });
  });
});
