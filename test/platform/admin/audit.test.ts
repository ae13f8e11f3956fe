import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Body, onEveryAdmin } from './rig.ts';

const limits = [{ name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 }];

onEveryAdmin('the audit', (suite) => {
  const entriesOf = async (objectId: string): Promise<readonly Body[]> =>
    (await suite.admin.get(`audit?object_id=${objectId}`)).body.items.toReversed();

  const shown = (body: Body) => {
    const { published: _, ...object } = body;
    return object;
  };

  it('says who did what to which object, with what it was before and after', async () => {
    const { admin } = suite;
    const { id: actor, token } = await admin.makeToken('operator');
    const headers = { 'x-request-id': `request-${randomUUID()}` };
    const made = await admin.post('tenants', { name: 'a' }, { token, headers });
    const { id } = made.body;
    const changed = await admin.patch(`tenants/${id}`, { name: 'b' }, { token });
    await admin.delete(`tenants/${id}`);
    const common = {
      id: expect.any(String),
      at: expect.any(String),
      noun: 'tenants',
      object_id: id,
      tenant_id: id,
      request_id: expect.any(String),
    };
    expect(await entriesOf(id)).toEqual([
      {
        ...common,
        actor,
        action: 'create',
        request_id: headers['x-request-id'],
        before: null,
        after: shown(made.body),
      },
      { ...common, actor, action: 'update', before: shown(made.body), after: shown(changed.body) },
      {
        ...common,
        actor: 'bootstrap',
        action: 'delete',
        before: shown(changed.body),
        after: null,
      },
    ]);
  });

  it('has one entry for each change of every noun', async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    const plan = await admin.post('plans', { tenant_id, name: 'a', limits });
    await admin.patch(`plans/${plan.body.id}`, { name: 'b' });
    const override = { tenant_id, limit: 'm', numbers: { limit: 5 }, reason: 'r' };
    const first = await admin.post('overrides', override);
    await admin.patch(`overrides/${first.body.id}`, { reason: 's' });
    await admin.delete(`overrides/${first.body.id}`);
    await admin.post('overrides', override);
    await admin.delete(`overrides?tenant_id=${tenant_id}`);
    await admin.delete(`overrides?tenant_id=${tenant_id}`);
    await admin.delete(`plans/${plan.body.id}`);
    const policy = await admin.post('policies', { tenant_id, resource: 'GET:/x' });
    await admin.patch(`policies/${policy.body.id}`, { cost: 2 });
    await admin.delete(`policies/${policy.body.id}`);
    const block = await admin.post('blocks', { tenant_id, subject: 'mallory', reason: 'r' });
    await admin.patch(`blocks/${block.body.id}`, { reason: 's' });
    await admin.delete(`blocks/${block.body.id}`);
    const mode = await admin.put('modes', { scope: 'tenant', tenant_id, mode: 'warn' });
    await admin.put('modes', { scope: 'tenant', tenant_id, mode: 'off' });
    await admin.delete(`modes/${mode.body.id}`);
    const key = await admin.post('keys', { tenant_id, name: 'a' });
    await admin.patch(`keys/${key.body.id}`, { name: 'b' });
    await admin.post(`keys/${key.body.id}/rotate`, {});
    await admin.delete(`keys/${key.body.id}`);
    await admin.delete(`keys/${key.body.id}`);
    const token = await admin.post('tokens', { tenant_id, name: 'a', role: 'viewer' });
    await admin.patch(`tokens/${token.body.id}`, { name: 'b' });
    await admin.delete(`tokens/${token.body.id}`);
    const { body } = await admin.get(`audit?tenant_id=${tenant_id}`);
    expect(body.items.toReversed().map(({ noun, action }) => [noun, action].join(' '))).toEqual([
      'tenants create',
      'plans create',
      'plans update',
      'overrides create',
      'overrides update',
      'overrides delete',
      'overrides create',
      'overrides delete',
      'plans delete',
      'policies create',
      'policies update',
      'policies delete',
      'blocks create',
      'blocks update',
      'blocks delete',
      'modes create',
      'modes update',
      'modes delete',
      'keys create',
      'keys update',
      'keys rotate',
      'keys revoke',
      'tokens create',
      'tokens update',
      'tokens revoke',
    ]);
  });

  it('keeps no secret, no hash and no salt', async () => {
    const { admin, rig } = suite;
    const tenant_id = await admin.makeTenant();
    const key = await admin.post('keys', { tenant_id, name: 'a' });
    const rotated = await admin.post(`keys/${key.body.id}/rotate`, {});
    const token = await admin.post('tokens', { name: 'a', role: 'viewer' });
    const { db } = rig.database;
    const rows = JSON.stringify(await db.selectFrom('audit_entries').selectAll().execute());
    const sealed = [
      ...(await db.selectFrom('api_keys').select(['salt', 'key_hash as hash']).execute()),
      ...(await db.selectFrom('admin_tokens').select(['salt', 'token_hash as hash']).execute()),
    ];
    for (const text of [key.body.key, rotated.body.key, token.body.token]) {
      expect(rows).not.toContain(text);
      expect(rows).not.toContain(text.slice(26, 69));
    }
    for (const { salt, hash } of sealed) {
      expect(rows).not.toContain(salt);
      expect(rows).not.toContain(hash);
    }
  });

  it('has nothing of a change that did not come to pass', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    await admin.patch(`tenants/${id}`, { name: 'x', version: 9 });
    await admin.patch(`tenants/${id}`, { plan_id: randomUUID() });
    await admin.patch(`tenants/${id}`, { timezone: 'Nowhere/Atall' });
    expect(await entriesOf(id)).toHaveLength(1);
  });

  describe('is found', () => {
    let tenant_id: string;
    let from: string;
    let to: string;
    let actor: string;

    beforeAll(async () => {
      const { admin } = suite;
      const token = await admin.makeToken('owner');
      actor = token.id;
      const made = await admin.post('tenants', { name: 'a' }, token);
      tenant_id = made.body.id;
      await admin.post('keys', { tenant_id, name: 'k' }, token);
      await admin.post('keys', { tenant_id, name: 'l' });
      const { body } = await admin.get(`audit?tenant_id=${tenant_id}`);
      [to = '', from = ''] = body.items.map(({ at }) => String(at));
    });

    const count = async (query: string) =>
      (await suite.admin.get(`audit?tenant_id=${tenant_id}&${query}`)).body.items.length;

    it('by noun, actor and time', async () => {
      expect(await count('noun=keys')).toBe(2);
      expect(await count('noun=tenants')).toBe(1);
      expect(await count(`actor=${actor}`)).toBe(2);
      expect(await count('actor=bootstrap')).toBe(1);
      expect(await count(`from=${from}`)).toBe(2);
      expect(await count(`from=${from}&to=${to}`)).toBe(1);
    });

    it('one by one', async () => {
      const { body } = await suite.admin.get(`audit?tenant_id=${tenant_id}&limit=1`);
      const [entry] = body.items;
      expect((await suite.admin.get(`audit/${entry?.id}`)).body).toEqual(entry);
    });

    it('and not changed', async () => {
      const { admin } = suite;
      const { body } = await admin.get('audit?limit=1');
      const path = `audit/${body.items[0]?.id}`;
      expect((await admin.patch(path, {})).status).toBe(405);
      expect((await admin.delete(path)).status).toBe(405);
      expect((await admin.post('audit', {})).status).toBe(405);
    });
  });
});
