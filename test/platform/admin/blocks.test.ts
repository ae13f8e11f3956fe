import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Body, onEveryAdmin, subjectHash } from './rig.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const fieldOf = ({ body }: Answer) =>
  (body['errors'] as readonly { field: string }[] | undefined)?.[0]?.field;

onEveryAdmin('a block', (suite) => {
  let tenant_id: string;

  beforeAll(async () => {
    tenant_id = await suite.admin.makeTenant();
  });

  const make = (fields: object = { subject: 'mallory' }) =>
    suite.admin.post('blocks', { tenant_id, reason: 'abuse', ...fields });

  it('is made with defaults, read, changed and deleted', async () => {
    const { admin } = suite;
    const made = await make();
    expect(made.status).toBe(201);
    expect(made.headers['etag']).toBe('"1"');
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id,
      subject: 'mallory',
      ip: null,
      attribute: null,
      key_id: null,
      action: 'block',
      expires_at: null,
      status: 'active',
      reason: 'abuse',
      author: 'bootstrap',
      version: 1,
      created_at: expect.stringMatching(instant),
      updated_at: made.body['created_at'],
      published: true,
    });
    const path = `blocks/${made.body.id}`;
    const fields = { action: 'bypass', expires_at: inSeconds(3600), reason: 'our own monitor' };
    const changed = await admin.patch(path, fields);
    expect(changed.body).toMatchObject({ ...fields, subject: 'mallory', version: 2 });
    const { published: _, ...object } = changed.body;
    expect((await admin.get(path)).body).toEqual(object);
    const lasting = await admin.patch(path, { expires_at: null });
    expect(lasting.body).toMatchObject({ action: 'bypass', expires_at: null, version: 3 });
    const brief = await admin.patch(path, { ttl_seconds: 60 });
    const leftMs = Date.parse(String(brief.body['expires_at'])) - Date.now();
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
    for (const answer of [
      await admin.get(path),
      await admin.patch(path, { reason: 'x' }),
      await admin.delete(path),
    ]) {
      expect(answer.status).toBe(404);
    }
  });

  it('is audited with who made it, and what it was before and after', async () => {
    const { admin } = suite;
    const operator = await admin.makeToken('operator', tenant_id);
    const input = { tenant_id, subject: 'eve', reason: 'r' };
    const { published: _, ...made } = (await admin.post('blocks', input, operator)).body;
    expect(made['author']).toBe(operator.id);
    const { published: __, ...changed } = (await admin.patch(`blocks/${made.id}`, { reason: 's' }))
      .body;
    await admin.delete(`blocks/${made.id}`);
    const { body } = await admin.get(`audit?noun=blocks&object_id=${made.id}`);
    const common = { noun: 'blocks', object_id: made.id, tenant_id };
    // Whom it is about, the audit tells by a hash.
    const noted = ({ subject: ___, ip: ____, ...rest }: Partial<Body>) => ({
      ...rest,
      subject_hash: subjectHash(tenant_id, 'eve'),
      ip_hash: null,
    });
    expect(body.items.toReversed()).toMatchObject([
      { ...common, action: 'create', actor: operator.id, before: null, after: noted(made) },
      {
        ...common,
        action: 'update',
        actor: 'bootstrap',
        before: noted(made),
        after: noted(changed),
      },
      { ...common, action: 'delete', actor: 'bootstrap', before: noted(changed), after: null },
    ]);
    expect(JSON.stringify(body)).not.toContain('eve');
  });

  it('of every tenant is published in the background', async () => {
    const { admin } = suite;
    const made = await make({ tenant_id: null, ip: '198.51.100.0/24' });
    expect(made.body).toMatchObject({ tenant_id: null, published: false });
    const path = `blocks/${made.body.id}`;
    const changed = await admin.patch(path, { reason: 'still' });
    const deleted = await admin.delete(path);
    const epochs = [made, changed, deleted].map(({ body }) => body.publication.epoch);
    expect(new Set(epochs).size).toBe(3);
    const { body } = await admin.get(`publications/${epochs[0]}`);
    expect(body['cause']).toBe(`create block ${made.body.id}`);
  });

  describe('is of', () => {
    it.each([
      ['203.0.113.9', '203.0.113.9/32'],
      ['203.0.113.9/24', '203.0.113.0/24'],
      ['2001:DB8::1/48', '2001:db8::/48'],
      ['::ffff:203.0.113.9', '203.0.113.9/32'],
    ])('the addresses %s', async (ip, stored) => {
      expect((await make({ ip })).body).toMatchObject({ ip: stored, subject: null });
    });

    it('an attribute', async () => {
      const attribute = { name: 'team', value: 'red' };
      expect((await make({ attribute })).body).toMatchObject({ attribute, subject: null });
    });

    it('a key of the tenant, or of any tenant where it is for all', async () => {
      const { admin } = suite;
      const other = await admin.makeTenant();
      const own = await admin.post('keys', { tenant_id, name: 'k' });
      const theirs = await admin.post('keys', { tenant_id: other, name: 'k' });
      expect((await make({ key_id: own.body.id })).body).toMatchObject({ key_id: own.body.id });
      expect((await make({ key_id: theirs.body.id })).status).toBe(404);
      const shared = await make({ tenant_id: null, key_id: theirs.body.id });
      expect(shared.status).toBe(201);
      expect((await make({ key_id: 'A'.repeat(21) })).status).toBe(404);
      expect((await make({ key_id: '\u0000' })).status).toBe(404);
    });

    it.each([
      ['nobody', {}, 'subject'],
      ['nobody, in so many words', { subject: null, ip: null }, 'subject'],
      ['two at once', { subject: 'a', ip: '203.0.113.9' }, 'ip'],
      ['three at once', { ip: '203.0.113.9', attribute: { name: 'a', value: 'b' } }, 'attribute'],
      ['everybody', { ip: '0.0.0.0/0' }, 'ip'],
      ['everybody, by IPv6', { ip: '::/0' }, 'ip'],
      ['everybody, mapped', { ip: '::ffff:0:0/96' }, 'ip'],
      ['no address', { ip: 'localhost' }, 'ip'],
    ])('never %s', async (_who, fields, field) => {
      for (const owner of [tenant_id, null]) {
        const answer = await make({ tenant_id: owner, ...fields });
        expect([answer.status, fieldOf(answer)]).toEqual([400, field]);
      }
    });

    it('everybody never, and says what to do instead', async () => {
      const all = await make({ ip: '0.0.0.0/0' });
      expect(all.body.detail).toMatch(/everybody; suspend the tenant/);
      const bypass = await make({ ip: '0.0.0.0/0', action: 'bypass' });
      expect(bypass.body.detail).toMatch(/everybody; set a mode/);
    });

    it('a tenant that exists', async () => {
      for (const id of [randomUUID(), 'no-id']) {
        expect((await make({ tenant_id: id, subject: 'a' })).status).toBe(404);
      }
    });
  });

  it('is listed by tenant, action, subject and status, in pages', async () => {
    const { admin, rig } = suite;
    const id = await admin.makeTenant();
    const ids: string[] = [];
    for (const fields of [
      { subject: 'ann' },
      { subject: 'bob', action: 'bypass' },
      { ip: '203.0.113.9' },
      { subject: 'ann', ttl_seconds: 60 },
    ]) {
      ids.push((await make({ tenant_id: id, ...fields })).body.id);
    }
    await rig.database.db
      .updateTable('blocks')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', String(ids[3]))
      .execute();
    const list = async (query: string) => {
      const { body } = await admin.get(`blocks?tenant_id=${id}&${query}`);
      return body.items.map((one) => ids.indexOf(one.id));
    };
    expect(await list('')).toEqual([0, 1, 2, 3]);
    expect(await list('action=bypass')).toEqual([1]);
    expect(await list('subject=ann')).toEqual([0, 3]);
    expect(await list('status=expired')).toEqual([3]);
    expect(await list('status=active')).toEqual([0, 1, 2]);
    expect((await admin.get(`blocks/${ids[3]}`)).body['status']).toBe('expired');
    const first = await admin.get(`blocks?tenant_id=${id}&limit=3`);
    const next = `blocks?tenant_id=${id}&limit=3&cursor=${first.body.next_cursor}`;
    const second = await admin.get(next);
    const seen = [...first.body.items, ...second.body.items].map((one) => one.id);
    expect(seen).toEqual(ids);
    const shared = await make({ tenant_id: null, subject: 'everywhere' });
    const all = (await admin.get('blocks?tenant_id=shared&limit=200')).body.items;
    expect(all.map((one) => one.id)).toContain(shared.body.id);
    expect(all.every((one) => one['tenant_id'] === null)).toBe(true);
  });

  it('of a tenant that is deleted meanwhile goes with it or is not made', async () => {
    const { admin, rig } = suite;
    for (let round = 0; round < 5; round += 1) {
      const id = await admin.makeTenant();
      const [made, deleted] = await Promise.all([
        make({ tenant_id: id, subject: 'a' }),
        admin.delete(`tenants/${id}`),
      ]);
      expect([201, 404]).toContain(made.status);
      expect(deleted.status).toBe(200);
      const rows = await rig.database.db
        .selectFrom('blocks')
        .select('id')
        .where('tenant_id', '=', id)
        .execute();
      expect(rows).toEqual([]);
    }
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});
