import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryAdmin } from './rig.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const window = { name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const fieldOf = ({ body }: Answer) =>
  (body['errors'] as readonly { field: string }[] | undefined)?.[0]?.field;

onEveryAdmin('a mode', (suite) => {
  let tenant_id: string;
  let policy_id: string;
  let shared: string;

  beforeAll(async () => {
    const { admin } = suite;
    tenant_id = await admin.makeTenant();
    await admin.post('plans', { tenant_id, name: 'own', limits: [window] });
    const limits = [{ ...window, name: 'of-policy' }];
    const policy = { tenant_id, resource: 'GET:/own', limits };
    policy_id = (await admin.post('policies', policy)).body.id;
    const common = { resource: `GET:/${randomUUID()}`, limits };
    shared = (await admin.post('policies', common)).body.id;
  });

  const set = (fields: object) => suite.admin.put('modes', { mode: 'shadow', ...fields });

  it('is made, read, replaced and deleted', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    const made = await set({ scope: 'tenant', tenant_id: id });
    expect(made.status).toBe(200);
    expect(made.headers['etag']).toBe('"1"');
    expect(made.body).toEqual({
      id: expect.any(String),
      scope: 'tenant',
      tenant_id: id,
      resource: null,
      policy_id: null,
      limit: null,
      mode: 'shadow',
      enforce_from: null,
      confirm: false,
      version: 1,
      created_at: expect.stringMatching(instant),
      updated_at: made.body['created_at'],
      published: true,
    });
    const path = `modes/${made.body.id}`;
    const enforce_from = inSeconds(3600);
    const fields = { scope: 'tenant', tenant_id: id, mode: 'warn', enforce_from };
    const replaced = await set(fields);
    expect(replaced.body).toMatchObject({ ...fields, id: made.body.id, version: 2 });
    const { published: _, ...object } = replaced.body;
    expect((await admin.get(path)).body).toEqual(object);
    // All that it says is replaced, not only what is named.
    const plain = await set({ scope: 'tenant', tenant_id: id, mode: 'off' });
    expect(plain.body).toMatchObject({ mode: 'off', enforce_from: null });
    const audit = (await admin.get(`audit?noun=modes&object_id=${made.body.id}`)).body.items;
    const { published: __, ...first } = made.body;
    const { published: ___, ...last } = plain.body;
    expect(audit.toReversed()).toMatchObject([
      { action: 'create', tenant_id: id, before: null, after: first },
      { action: 'update', tenant_id: id, before: first, after: object },
      { action: 'update', tenant_id: id, before: object, after: last },
    ]);
    expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
    expect((await admin.get(path)).status).toBe(404);
    expect((await admin.delete(path)).status).toBe(404);
    expect((await admin.get(`audit?object_id=${made.body.id}&limit=1`)).body.items).toMatchObject([
      { action: 'delete', before: last, after: null },
    ]);
    expect((await set({ scope: 'tenant', tenant_id: id })).body.id).not.toBe(made.body.id);
  });

  it('has one word for each idea', async () => {
    const words = { monitor: 'shadow', on: 'enforce', off: 'off', shadow: 'shadow', warn: 'warn' };
    for (const [mode, stored] of Object.entries(words)) {
      const { body } = await set({ scope: 'tenant', tenant_id, mode });
      expect([mode, body['mode']]).toEqual([mode, stored]);
    }
  });

  it('is one for each scope and what it names', async () => {
    const limit = 'of-policy';
    const resource = `GET:/${randomUUID()}/*`;
    const targets = [
      { scope: 'platform' },
      { scope: 'tenant', tenant_id },
      { scope: 'resource', resource },
      { scope: 'resource', resource, tenant_id },
      { scope: 'policy', policy_id },
      { scope: 'policy', policy_id: shared },
      { scope: 'limit', limit },
      { scope: 'limit', limit, tenant_id },
      { scope: 'limit', limit, policy_id },
      { scope: 'limit', limit, policy_id: shared },
      { scope: 'limit', limit, policy_id: shared, tenant_id },
    ];
    const ids = new Set<string>();
    for (const target of targets) {
      const { status, body } = await set(target);
      expect({ target, status }).toEqual({ target, status: 200 });
      ids.add(body.id);
    }
    expect(ids.size).toBe(targets.length);
    for (const target of targets) ids.add((await set({ ...target, mode: 'warn' })).body.id);
    expect(ids.size).toBe(targets.length);
  });

  it("of a tenant's policy is the tenant's, and of what is shared is everybody's", async () => {
    const { admin } = suite;
    const own = await set({ scope: 'policy', policy_id });
    expect(own.body).toMatchObject({ tenant_id, published: true });
    const ofLimit = await set({ scope: 'limit', limit: 'of-policy', policy_id });
    expect(ofLimit.body).toMatchObject({ tenant_id, published: true });
    for (const target of [
      { scope: 'platform' },
      { scope: 'resource', resource: 'GET:/x' },
      { scope: 'policy', policy_id: shared },
      { scope: 'limit', limit: 'm' },
    ]) {
      const { body } = await set(target);
      expect(body).toMatchObject({ tenant_id: null, published: false });
      const { body: publication } = await admin.get(`publications/${body.publication.epoch}`);
      expect(publication['cause']).toBe(`set mode of ${target.scope}`);
    }
  });

  describe('names', () => {
    it.each([
      [{ scope: 'platform', tenant_id: 'x' }, 'tenant_id'],
      [{ scope: 'platform', limit: 'm' }, 'limit'],
      [{ scope: 'tenant' }, 'tenant_id'],
      [{ scope: 'tenant', tenant_id: null }, 'tenant_id'],
      [{ scope: 'tenant', tenant_id: 'x', resource: 'GET:/x' }, 'resource'],
      [{ scope: 'resource' }, 'resource'],
      [{ scope: 'resource', resource: 'GET:/x', policy_id: 'x' }, 'policy_id'],
      [{ scope: 'resource', resource: 'GET:/{' }, 'resource'],
      [{ scope: 'policy' }, 'policy_id'],
      [{ scope: 'policy', policy_id: 'x', tenant_id: 'x' }, 'tenant_id'],
      [{ scope: 'limit' }, 'limit'],
      [{ scope: 'limit', limit: 'm', resource: 'GET:/x' }, 'resource'],
      [{ scope: 'limit', limit: 'a b' }, 'limit'],
    ])('what belongs to its scope: %j', async (target, field) => {
      const answer = await set(target);
      expect([answer.status, fieldOf(answer)]).toEqual([400, field]);
    });

    it('tenants and policies that exist, and go together', async () => {
      const other = await suite.admin.makeTenant();
      for (const target of [
        { scope: 'tenant', tenant_id: randomUUID() },
        { scope: 'tenant', tenant_id: 'no-id' },
        { scope: 'resource', resource: 'GET:/x', tenant_id: randomUUID() },
        { scope: 'policy', policy_id: randomUUID() },
        { scope: 'policy', policy_id: 'no-id' },
        { scope: 'limit', limit: 'of-policy', policy_id, tenant_id: other },
      ]) {
        expect({ target, status: (await set(target)).status }).toEqual({ target, status: 404 });
      }
    });

    it('a limit that there is, in that scope', async () => {
      const { admin, rig } = suite;
      const other = await admin.makeTenant();
      const name = unique('only');
      const limits = [{ ...window, name }];
      await admin.post('plans', { tenant_id: other, name: 'p', limits });
      await rig.database.db
        .insertInto('quotas')
        .values({
          tenant_id: other,
          name: 'monthly',
          period: 'month',
          unit: 'requests',
          allowance: 1000,
          mode: null,
          overcommit: false,
          teams: '{}',
        })
        .execute();
      for (const [target, status] of [
        [{ limit: name }, 200],
        [{ limit: name, tenant_id: other }, 200],
        [{ limit: name, tenant_id }, 400],
        [{ limit: 'nobodys' }, 400],
        [{ limit: 'm', policy_id }, 400],
        [{ limit: 'monthly', tenant_id: other }, 200],
        [{ limit: 'monthly', tenant_id }, 400],
      ] as const) {
        const answer = await set({ scope: 'limit', ...target });
        const field = status === 400 ? 'limit' : undefined;
        expect([target, answer.status, fieldOf(answer)]).toEqual([target, status, field]);
      }
    });
  });

  describe('of a security limit', () => {
    it('is another than enforce only when that is confirmed', async () => {
      const { admin } = suite;
      const limit = unique('logins');
      const limits = [{ ...window, name: limit, security: true }];
      await admin.post('plans', { tenant_id, name: limit, limits });
      for (const mode of ['shadow', 'warn', 'off', 'monitor']) {
        const refused = await set({ scope: 'limit', limit, tenant_id, mode });
        expect([mode, refused.status, fieldOf(refused)]).toEqual([mode, 400, 'confirm']);
        const doubtful = await set({ scope: 'limit', limit, mode, confirm: false });
        expect([mode, doubtful.status, fieldOf(doubtful)]).toEqual([mode, 400, 'confirm']);
        const meant = await set({ scope: 'limit', limit, tenant_id, mode, confirm: true });
        expect(meant).toMatchObject({ status: 200, body: { confirm: true } });
      }
      expect((await set({ scope: 'limit', limit, tenant_id, mode: 'on' })).status).toBe(200);
      for (const target of [{ scope: 'tenant', tenant_id }, { scope: 'platform' }]) {
        const wide = await set({ ...target, confirm: true });
        expect([wide.status, fieldOf(wide)]).toEqual([400, 'confirm']);
      }
      // Of another limit nothing is asked.
      expect((await set({ scope: 'limit', limit: 'm', tenant_id })).status).toBe(200);
    });
  });

  describe('becomes enforce by itself', () => {
    it('at the time that it says, and shows it', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      const enforce_from = inSeconds(60);
      const made = await set({ scope: 'tenant', tenant_id: id, mode: 'warn', enforce_from });
      expect(made.body).toMatchObject({ mode: 'warn', enforce_from });
      await rig.database.db
        .updateTable('modes')
        .set({ enforce_from: new Date(Date.now() - 1000) })
        .where('id', '=', made.body.id)
        .execute();
      const read = await admin.get(`modes/${made.body.id}`);
      expect(read.body).toMatchObject({ mode: 'enforce', enforce_from: expect.any(String) });
    });

    it.each([
      ['past', { mode: 'warn', enforce_from: '2020-01-01T00:00:00Z' }],
      ['no date', { mode: 'warn', enforce_from: 'soon' }],
      ['said of enforce', { mode: 'enforce', enforce_from: inSeconds(60) }],
      ['said of off', { mode: 'off', enforce_from: inSeconds(60) }],
      ['eleven years away', { mode: 'warn', enforce_from: inSeconds(11 * 366 * 86_400) }],
    ])('never when it is %s', async (_what, fields) => {
      const answer = await set({ scope: 'tenant', tenant_id, ...fields });
      expect([answer.status, fieldOf(answer)]).toEqual([400, 'enforce_from']);
    });
  });

  it('is listed by scope and tenant, in pages', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    const ids: string[] = [];
    ids.push((await set({ scope: 'tenant', tenant_id: id })).body.id);
    for (const at of [1, 2, 3]) {
      const resource = `GET:/${at}`;
      ids.push((await set({ scope: 'resource', tenant_id: id, resource })).body.id);
    }
    const list = async (query: string) => (await admin.get(`modes?${query}`)).body;
    const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }) =>
      items.map((one) => one.id);
    expect(idsOf(await list(`tenant_id=${id}`))).toEqual(ids);
    expect(idsOf(await list(`tenant_id=${id}&scope=tenant`))).toEqual(ids.slice(0, 1));
    const first = await list(`tenant_id=${id}&limit=3`);
    const second = await list(`tenant_id=${id}&limit=3&cursor=${first.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    await set({ scope: 'platform' });
    const all = await list('tenant_id=shared&limit=200');
    expect(all.items.length).toBeGreaterThan(0);
    expect(all.items.every((one) => one['tenant_id'] === null)).toBe(true);
  });

  it('has a version that a change may name', async () => {
    const { admin } = suite;
    const target = { scope: 'tenant', tenant_id: await admin.makeTenant() };
    const early = await set({ ...target, version: 1 });
    expect(early).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await set(target)).body['version']).toBe(1);
    expect((await set({ ...target, version: 1 })).body['version']).toBe(2);
    const late = await set({ ...target, version: 1 });
    expect(late).toMatchObject({ status: 409, body: { code: 'version_conflict' } });
    expect(late.headers['etag']).toBe('"2"');
    const headers = { 'if-match': '"2"' };
    const agreed = await admin.put('modes', { ...target, mode: 'warn' }, { headers });
    expect(agreed.body['version']).toBe(3);
  });

  describe('set by twenty at once', () => {
    const byTwenty = (target: object, fields: object = {}) =>
      Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          set({ ...target, mode: at % 2 === 0 ? 'warn' : 'off', ...fields }),
        ),
      );

    it.each(['tenant', 'shared'])('is one entry, and each is heard (%s)', async (whose) => {
      const { admin } = suite;
      const target =
        whose === 'tenant'
          ? { scope: 'tenant', tenant_id: await admin.makeTenant() }
          : { scope: 'resource', resource: `GET:/${randomUUID()}` };
      const answers = await byTwenty(target);
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      const [id, ...others] = new Set(answers.map(({ body }) => body.id));
      expect(others).toEqual([]);
      const versions = answers.map(({ body }) => Number(body['version']));
      expect(versions.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, at) => at + 1),
      );
      const last = answers.find(({ body }) => body['version'] === 20)?.body;
      expect((await admin.get(`modes/${id}`)).body['mode']).toBe(last?.['mode']);
      const audit = (await admin.get(`audit?object_id=${id}`)).body.items;
      expect(audit.filter(({ action }) => action === 'create')).toHaveLength(1);
      expect(audit.filter(({ action }) => action === 'update')).toHaveLength(19);
    });

    it('with one version is changed by one of them', async () => {
      const { admin } = suite;
      const target = { scope: 'tenant', tenant_id: await admin.makeTenant() };
      const { id } = (await set(target)).body;
      const answers = await byTwenty(target, { version: 1 });
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
      expect((await admin.get(`modes/${id}`)).body['version']).toBe(2);
    });
  });

  it('of a policy that is deleted meanwhile goes with it or is not made', async () => {
    const { admin, rig } = suite;
    const limits = [{ ...window, name: 'raced' }];
    for (let round = 0; round < 5; round += 1) {
      const policy = await admin.post('policies', { resource: `GET:/${randomUUID()}`, limits });
      const target = { scope: 'limit', limit: 'raced', policy_id: policy.body.id, tenant_id };
      const [put, deleted] = await Promise.all([
        set(target),
        admin.delete(`policies/${policy.body.id}`),
      ]);
      expect([200, 404]).toContain(put.status);
      expect(deleted.status).toBe(200);
      const rows = await rig.database.db
        .selectFrom('modes')
        .select('id')
        .where('policy_id', '=', policy.body.id)
        .execute();
      expect(rows).toEqual([]);
    }
  });

  it('has room for a thousand of a tenant', async () => {
    const { admin, rig } = suite;
    const id = await admin.makeTenant();
    const rows = Array.from({ length: 1000 }, (_, at) => ({
      id: randomUUID(),
      scope: 'resource' as const,
      tenant_id: id,
      resource: `GET:/${at}`,
      policy_id: null,
      limit_name: null,
      mode: 'warn',
      enforce_from: null,
    }));
    await rig.database.db.insertInto('modes').values(rows).execute();
    const target = { scope: 'resource', tenant_id: id };
    const full = await set({ ...target, resource: 'GET:/more' });
    expect(full).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(full.body.detail).toContain('1000 modes');
    // What is there already can still be changed.
    expect((await set({ ...target, resource: 'GET:/7' })).status).toBe(200);
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});
