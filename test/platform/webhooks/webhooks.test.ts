import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryAdmin } from '../admin/rig.ts';
import { readEverything } from '../admin/world.ts';

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/;
const hook = { url: 'https://hooks.example.com/a', events: ['quota.threshold'] };

onEveryAdmin('a webhook', (suite) => {
  it('is made, read, changed, rotated and deleted, and shows its secret once', async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    const made = await admin.post('webhooks', { ...hook, tenant_id });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id,
      ...hook,
      secret: expect.stringMatching(secretPattern),
      version: 1,
      created_at: expect.any(String),
      updated_at: made.body['created_at'],
      published: true,
    });
    const path = `webhooks/${made.body.id}`;
    const { published: _, secret, ...object } = made.body;
    const read = await admin.get(path);
    expect(read.body).toEqual(object);
    expect(read.headers['etag']).toBe('"1"');
    const url = 'https://hooks.example.com/b';
    const changed = await admin.patch(path, { url });
    expect(changed.body).toMatchObject({ url, events: hook.events, version: 2 });
    expect(changed.body).not.toHaveProperty('secret');
    const rotated = await admin.post(`${path}/rotate`, undefined);
    expect(rotated).toMatchObject({ status: 201, body: { url, version: 3 } });
    expect(rotated.body['secret']).toMatch(secretPattern);
    expect(rotated.body['secret']).not.toBe(secret);
    expect((await admin.get(`${path}/deliveries`)).body).toEqual({ items: [], next_cursor: null });
    expect(await admin.delete(path)).toMatchObject({ status: 200, body: { deleted: true } });
    for (const answer of [
      await admin.get(path),
      await admin.patch(path, { url }),
      await admin.delete(path),
      await admin.post(`${path}/rotate`, {}),
      await admin.get(`${path}/deliveries`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('keeps its secret out of the database, the audit and the lists', async () => {
    const { admin, rig } = suite;
    const made = await admin.post('webhooks', hook);
    const rotated = await admin.post(`webhooks/${made.body.id}/rotate`, {});
    const audit = await admin.get(`audit?object_id=${made.body.id}`);
    const list = await admin.get('webhooks?tenant_id=shared&limit=200');
    const everything = `${await readEverything(rig.database.db)}${audit.text}${list.text}`;
    for (const { body } of [made, rotated]) {
      expect(everything).not.toContain(String(body['secret']).slice(6));
    }
    expect(audit.body.items).toMatchObject([
      { action: 'rotate', noun: 'webhooks', before: { version: 1 }, after: { version: 2 } },
      { action: 'create', noun: 'webhooks', before: null, after: hook },
    ]);
    await admin.delete(`webhooks/${made.body.id}`);
  });

  it('is in the audit with every change, and of no concern to checks', async () => {
    const { admin, rig } = suite;
    const tenant_id = await admin.makeTenant();
    const epochs = () =>
      rig.database.db
        .selectFrom('tenant_epochs')
        .select('epoch')
        .where('tenant_id', '=', tenant_id)
        .execute();
    const before = await epochs();
    const { body } = await admin.post('webhooks', { ...hook, tenant_id });
    await admin.patch(`webhooks/${body.id}`, { url: 'https://hooks.example.com/c' });
    await admin.post(`webhooks/${body.id}/rotate`, {});
    await admin.delete(`webhooks/${body.id}`);
    const audit = await admin.get(`audit?tenant_id=${tenant_id}&noun=webhooks`);
    expect(audit.body.items.map(({ action }) => action).toReversed()).toEqual([
      'create',
      'update',
      'rotate',
      'delete',
    ]);
    expect(await epochs()).toEqual(before);
  });

  it('is listed by whose it is', async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    const own = (await admin.post('webhooks', { ...hook, tenant_id })).body.id;
    const shared = (await admin.post('webhooks', hook)).body.id;
    const list = async (query: string) =>
      (await admin.get(`webhooks?limit=200${query}`)).body.items.map(({ id }) => id);
    expect(await list(`&tenant_id=${tenant_id}`)).toEqual([own]);
    expect(await list('&tenant_id=shared')).toContain(shared);
    expect(await list('&tenant_id=shared')).not.toContain(own);
    expect(await list('')).toEqual(expect.arrayContaining([own, shared]));
  });

  it('is made no more than there is room for, also by many at once', async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => admin.post('webhooks', { ...hook, tenant_id })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  });

  it('changed in two ways at once has both', async () => {
    const { admin } = suite;
    const { body } = await admin.post('webhooks', hook);
    const path = `webhooks/${body.id}`;
    const url = 'https://hooks.example.com/d';
    const answers = await Promise.all([
      admin.patch(path, { url }),
      ...Array.from({ length: 9 }, () => admin.patch(path, { events: ['quota.threshold'] })),
      ...Array.from({ length: 10 }, () => admin.post(`${path}/rotate`, {})),
    ]);
    expect(answers.every(({ status }) => status < 300)).toBe(true);
    expect((await admin.get(path)).body).toMatchObject({ url, version: 21 });
    const secrets = answers.flatMap(({ body: { secret } }) => (secret === undefined ? [] : secret));
    expect(new Set(secrets).size).toBe(10);
    await admin.delete(path);
  });

  it('that somebody changed meanwhile is told by its version', async () => {
    const { admin } = suite;
    const { body } = await admin.post('webhooks', hook);
    const path = `webhooks/${body.id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        admin.patch(path, { url: `https://hooks.example.com/${at}`, version: 1 }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    await admin.delete(path);
  });

  describe("in the hands of a tenant's own token", () => {
    let tenant_id: string;
    let token: string;

    beforeAll(async () => {
      tenant_id = await suite.admin.makeTenant();
      token = (await suite.admin.makeToken('operator', tenant_id)).token;
    });

    it('is made, changed, rotated and deleted, where it is its own', async () => {
      const { admin } = suite;
      const made = await admin.post('webhooks', { ...hook, tenant_id }, { token });
      expect(made.status).toBe(201);
      const path = `webhooks/${made.body.id}`;
      const { events } = hook;
      expect((await admin.patch(path, { events }, { token })).status).toBe(200);
      expect((await admin.post(`${path}/rotate`, {}, { token })).status).toBe(201);
      expect((await admin.get(`${path}/deliveries`, { token })).status).toBe(200);
      expect((await admin.delete(path, { token })).status).toBe(200);
    });

    it('is not made for others, nor seen of others', async () => {
      const { admin, rig } = suite;
      const other = await admin.makeTenant();
      const foreign = (await admin.post('webhooks', { ...hook, tenant_id: other })).body.id;
      const shared = (await admin.post('webhooks', hook)).body.id;
      const before = await readEverything(rig.database.db);
      for (const [owner, status] of [
        [other, 404],
        [null, 403],
        [undefined, 403],
      ] as const) {
        const body = owner === undefined ? hook : { ...hook, tenant_id: owner };
        expect((await admin.post('webhooks', body, { token })).status).toBe(status);
      }
      for (const id of [foreign, shared]) {
        expect((await admin.get(`webhooks/${id}`, { token })).status).toBe(404);
        expect((await admin.get(`webhooks/${id}/deliveries`, { token })).status).toBe(404);
        expect((await admin.post(`webhooks/${id}/rotate`, {}, { token })).status).toBe(404);
      }
      const { body } = await admin.get(`webhooks?tenant_id=${other}`, { token });
      expect(body.items).toEqual([]);
      expect(await readEverything(rig.database.db)).toBe(before);
    });
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});
