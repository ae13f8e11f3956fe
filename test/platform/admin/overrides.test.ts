import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Body, onEveryAdmin, subjectHash } from './rig.ts';
import { fillRoom } from './world.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const window = { name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 };
const bucket = {
  name: 'burst',
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 1,
};
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const fieldOf = ({ body }: Answer) =>
  (body['errors'] as readonly { field: string }[] | undefined)?.[0]?.field;

onEveryAdmin('an override', (suite) => {
  let tenant_id: string;
  let plan: Body;

  beforeAll(async () => {
    const { admin } = suite;
    tenant_id = await admin.makeTenant();
    const limits = [window, bucket];
    plan = (await admin.post('plans', { tenant_id, name: 'own', limits })).body;
  });

  const make = (fields: object = {}) =>
    suite.admin.post('overrides', {
      tenant_id,
      limit: 'm',
      numbers: { limit: 100 },
      reason: 'a launch',
      ...fields,
    });

  it('is made with defaults, read, changed and deleted', async () => {
    const { admin } = suite;
    const made = await make();
    expect(made.status).toBe(201);
    expect(made.headers['etag']).toBe('"1"');
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id,
      limit: 'm',
      plan_id: null,
      policy_id: null,
      resource: null,
      subject: null,
      attributes: {},
      numbers: { limit: 100 },
      starts_at: null,
      expires_at: null,
      status: 'active',
      reason: 'a launch',
      author: 'bootstrap',
      version: 1,
      created_at: expect.stringMatching(instant),
      updated_at: made.body['created_at'],
      published: true,
    });
    const path = `overrides/${made.body.id}`;
    const fields = {
      numbers: { limit: 50, window_seconds: 30 },
      resource: 'GET:/orders/*',
      subject: 'ann',
      attributes: { team: 'eng' },
      starts_at: inSeconds(60),
      expires_at: inSeconds(3600),
      reason: 'a longer launch',
    };
    const changed = await admin.patch(path, fields);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ ...fields, status: 'scheduled', version: 2 });
    const { published: _, ...object } = changed.body;
    expect((await admin.get(path)).body).toEqual(object);
    const none = { resource: null, subject: null, attributes: {}, starts_at: null };
    const reset = await admin.patch(path, { ...none, expires_at: null });
    expect(reset.body).toMatchObject({ ...none, expires_at: null, status: 'active', version: 3 });
    expect((await admin.delete(path)).body).toEqual({ deleted: true, published: true });
    expect((await admin.get(path)).status).toBe(404);
    expect((await admin.patch(path, { reason: 'x' })).status).toBe(404);
    expect((await admin.delete(path)).status).toBe(404);
  });

  it('is audited with who made it, and what it was before and after', async () => {
    const { admin } = suite;
    const operator = await admin.makeToken('operator');
    const { published: _, ...made } = (
      await admin.post(
        'overrides',
        { tenant_id, limit: 'm', numbers: { limit: 1 }, reason: 'r' },
        operator,
      )
    ).body;
    expect(made['author']).toBe(operator.id);
    const { published: __, ...changed } = (
      await admin.patch(`overrides/${made.id}`, { reason: 's' })
    ).body;
    // Who changed it is in the audit; who made it stays.
    expect(changed['author']).toBe(operator.id);
    await admin.delete(`overrides/${made.id}`);
    const { body } = await admin.get(`audit?noun=overrides&object_id=${made.id}`);
    const common = { noun: 'overrides', object_id: made.id, tenant_id };
    const noted = ({ subject: ___, ...rest }: Partial<Body>) => ({ ...rest, subject_hash: null });
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
  });

  describe('ends', () => {
    it('so many seconds from now, or from its start', async () => {
      const soon = await make({ ttl_seconds: 60 });
      const leftMs = Date.parse(String(soon.body['expires_at'])) - Date.now();
      expect(leftMs).toBeGreaterThan(50_000);
      expect(leftMs).toBeLessThanOrEqual(60_000);
      const starts_at = inSeconds(3600);
      const later = await make({ starts_at, ttl_seconds: 60 });
      const lastsMs = Date.parse(String(later.body['expires_at'])) - Date.parse(starts_at);
      expect(lastsMs).toBe(60_000);
      expect(later.body).not.toHaveProperty('ttl_seconds');
    });

    it.each([
      ['in the past', { expires_at: inSeconds(-1) }, 'expires_at'],
      ['before it starts', { starts_at: inSeconds(60), expires_at: inSeconds(59) }, 'expires_at'],
      ['twice', { expires_at: inSeconds(60), ttl_seconds: 60 }, 'ttl_seconds'],
      ['in eleven years', { expires_at: inSeconds(11 * 366 * 86_400) }, 'expires_at'],
      [
        'before it begins, in eleven years',
        { starts_at: inSeconds(11 * 366 * 86_400) },
        'starts_at',
      ],
    ])('never %s', async (_when, fields, field) => {
      const answer = await make(fields);
      expect({ status: answer.status, field: fieldOf(answer) }).toEqual({ status: 400, field });
    });

    it('never before it starts, whichever of the two is changed', async () => {
      const { admin } = suite;
      const { id } = (await make({ starts_at: inSeconds(100), expires_at: inSeconds(200) })).body;
      const late = await admin.patch(`overrides/${id}`, { starts_at: inSeconds(300) });
      expect({ status: late.status, field: fieldOf(late) }).toEqual({
        status: 400,
        field: 'starts_at',
      });
      const early = await admin.patch(`overrides/${id}`, { expires_at: inSeconds(50) });
      expect({ status: early.status, field: fieldOf(early) }).toEqual({
        status: 400,
        field: 'expires_at',
      });
    });

    it('and is still there afterwards, to be read, prolonged and cleared', async () => {
      const { admin, rig } = suite;
      const { id } = (await make({ ttl_seconds: 60, subject: 'past' })).body;
      await rig.database.db
        .updateTable('overrides')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('id', '=', id)
        .execute();
      expect((await admin.get(`overrides/${id}`)).body['status']).toBe('expired');
      expect((await admin.patch(`overrides/${id}`, { reason: 'over' })).status).toBe(200);
      const longer = await admin.patch(`overrides/${id}`, { ttl_seconds: 60 });
      expect(longer.body['status']).toBe('active');
    });
  });

  describe('is for a limit', () => {
    const refusal = async (fields: object) => {
      const answer = await make(fields);
      return [answer.status, fieldOf(answer)];
    };

    it('that the tenant has, or could have on a shared plan', async () => {
      const { admin } = suite;
      const name = unique('shared');
      expect(await refusal({ limit: name })).toEqual([400, 'limit']);
      await admin.post('plans', { name: unique('plan'), limits: [{ ...window, name }] });
      expect((await make({ limit: name })).status).toBe(201);
    });

    it('and not for one of another tenant', async () => {
      const { admin } = suite;
      const other = await admin.makeTenant();
      const name = unique('theirs');
      await admin.post('plans', { tenant_id: other, name: 'p', limits: [{ ...window, name }] });
      await admin.post('policies', {
        tenant_id: other,
        resource: 'GET:/x',
        limits: [{ ...window, name }],
      });
      expect(await refusal({ limit: name })).toEqual([400, 'limit']);
    });

    it('of a tenant, a plan and a policy that exist', async () => {
      const { admin } = suite;
      const other = await admin.makeTenant();
      const theirs = await admin.post('plans', { tenant_id: other, name: 'p', limits: [window] });
      const policy = await admin.post('policies', { tenant_id: other, resource: 'GET:/x' });
      for (const fields of [
        { tenant_id: randomUUID() },
        { tenant_id: 'no-id' },
        { plan_id: randomUUID() },
        { plan_id: 'no-id' },
        { plan_id: theirs.body.id },
        { policy_id: randomUUID() },
        { policy_id: policy.body.id },
      ]) {
        expect({ fields, status: (await make(fields)).status }).toEqual({ fields, status: 404 });
      }
    });

    it('of several plans at once, unless it names one', async () => {
      const { admin } = suite;
      await admin.post('plans', { tenant_id, name: unique('p'), limits: [window] });
      const both = await make();
      expect(both.body).toMatchObject({ plan_id: null });
      const one = await make({ plan_id: plan.id });
      expect(one.body).toMatchObject({ plan_id: plan.id, policy_id: null });
      expect(await refusal({ plan_id: plan.id, limit: 'other' })).toEqual([400, 'limit']);
    });

    it('of one policy, and says which when the name is ambiguous', async () => {
      const { admin } = suite;
      const name = unique('search');
      const limits = [{ ...window, name }];
      const first = await admin.post('policies', { tenant_id, resource: `GET:/${name}`, limits });
      expect((await make({ limit: name })).status).toBe(201);
      const second = await admin.post('policies', { resource: `POST:/${name}`, limits });
      const ambiguous = await make({ limit: name });
      expect([ambiguous.status, fieldOf(ambiguous)]).toEqual([400, 'limit']);
      expect(ambiguous.body.detail).toMatch(/ambiguous.*GET:\/.*POST:\/.*plan_id or policy_id/);
      for (const policy of [first, second]) {
        const made = await make({ limit: name, policy_id: policy.body.id });
        expect(made).toMatchObject({ status: 201, body: { policy_id: policy.body.id } });
      }
      const two = await make({ limit: name, policy_id: first.body.id, plan_id: plan.id });
      expect([two.status, fieldOf(two)]).toEqual([400, 'policy_id']);
    });

    it('and not for a quota, which is topped up instead', async () => {
      const { rig } = suite;
      await rig.database.db
        .insertInto('quotas')
        .values({
          tenant_id,
          name: 'monthly',
          period: 'month',
          unit: 'requests',
          allowance: 1000,
          mode: null,
          overcommit: false,
          teams: '{}',
        })
        .execute();
      const refused = await make({ limit: 'monthly' });
      expect([refused.status, fieldOf(refused)]).toEqual([400, 'limit']);
      expect(refused.body.detail).toMatch(/top-up/);
    });

    it('with its own numbers, also where it was a share of another', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      await admin.post('plans', { tenant_id: id, template: 'free' });
      const base = { tenant_id: id, limit: 'user-requests' };
      expect((await make({ ...base, numbers: { limit: 30 } })).status).toBe(201);
      const wrong = await make({ ...base, numbers: { max_concurrent: 3 } });
      expect([wrong.status, fieldOf(wrong)]).toEqual([400, 'numbers.max_concurrent']);
    });

    it('whose numbers fit wherever it is defined', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const name = unique('m');
      for (const [at, limit] of [window, bucket].entries()) {
        const limits = [{ ...limit, name }];
        await admin.post('plans', { tenant_id: id, name: `p${at}`, limits });
      }
      const wrong = await make({ tenant_id: id, limit: name });
      expect([wrong.status, fieldOf(wrong)]).toEqual([400, 'numbers.limit']);
      expect(wrong.body.detail).toMatch(/plan p1/);
    });

    it('and resources that it applies to', async () => {
      const { admin } = suite;
      const limits = [{ ...window, name: 'scoped', resources: ['GET:/orders/*', 'POST:/search'] }];
      await admin.post('plans', { tenant_id, name: unique('p'), limits });
      const name = unique('local');
      await admin.post('policies', {
        tenant_id,
        resource: `GET:/${name}/*`,
        limits: [{ ...window, name }],
      });
      for (const [limit, resource, status] of [
        ['scoped', 'GET:/orders/{id}', 201],
        ['scoped', '*:/search', 201],
        ['scoped', 'GET:/users/*', 400],
        ['scoped', 'GET:/orders', 400],
        [name, `GET:/${name}/deep/er`, 201],
        [name, `POST:/${name}/*`, 400],
      ] as const) {
        const answer = await make({ limit, resource });
        const field = status === 400 ? 'resource' : undefined;
        expect([resource, answer.status, fieldOf(answer)]).toEqual([resource, status, field]);
      }
    });

    it('and may be ended when that is gone', async () => {
      const { admin } = suite;
      const name = unique('gone');
      const limits = [{ ...window, name }];
      const made = await admin.post('plans', { tenant_id, name, limits });
      const { id } = (await make({ limit: name })).body;
      await admin.delete(`plans/${made.body.id}`);
      expect((await admin.patch(`overrides/${id}`, { ttl_seconds: 1 })).status).toBe(200);
      const numbers = await admin.patch(`overrides/${id}`, { numbers: { limit: 5 } });
      expect([numbers.status, fieldOf(numbers)]).toEqual([400, 'limit']);
      const named = await make({ limit: 'm', plan_id: plan.id });
      expect(named.status).toBe(201);
    });
  });

  it('is listed by tenant, limit, resource, subject and status, in pages', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    await admin.post('plans', { tenant_id: id, name: 'p', limits: [window, bucket] });
    const ids: string[] = [];
    for (const fields of [
      { subject: 'ann' },
      { resource: 'GET:/x' },
      { limit: 'burst', numbers: { bucket_capacity: 5 } },
      { starts_at: inSeconds(60) },
    ]) {
      ids.push((await make({ tenant_id: id, ...fields })).body.id);
    }
    const list = async (query: string) => {
      const { body } = await admin.get(`overrides?tenant_id=${id}&${query}`);
      return body.items.map((one) => ids.indexOf(one.id));
    };
    expect(await list('')).toEqual([0, 1, 2, 3]);
    expect(await list('subject=ann')).toEqual([0]);
    expect(await list(`resource=${encodeURIComponent('GET:/x')}`)).toEqual([1]);
    expect(await list('limit_name=burst')).toEqual([2]);
    expect(await list('status=scheduled')).toEqual([3]);
    expect(await list('status=active')).toEqual([0, 1, 2]);
    expect(await list('status=expired')).toEqual([]);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await admin.get(`overrides?tenant_id=${id}&limit=3${cursor}`);
      seen.push(...body.items.map((one) => one.id));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(ids);
  });

  describe('is cleared', () => {
    const fill = async (count: number) => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      await fillRoom(rig.database.db, 'overrides', id, count);
      return id;
    };
    const epochOf = async (id: string) => {
      const query = suite.rig.database.db.selectFrom('tenant_epochs').select('epoch');
      return (await query.where('tenant_id', '=', id).executeTakeFirstOrThrow()).epoch;
    };

    it('by what the filters find, each with an entry in the audit', async () => {
      const { admin } = suite;
      const [a, b] = [await admin.makeTenant(), await admin.makeTenant()];
      const ids: string[] = [];
      for (const [owner, subject] of [
        [a, 'gone'],
        [b, 'gone'],
        [b, 'kept'],
      ] as const) {
        await admin.post('plans', { tenant_id: owner, name: 'p', limits: [window] });
        ids.push((await make({ tenant_id: owner, subject })).body.id);
      }
      const epochs = await Promise.all([a, b].map(epochOf));
      const cleared = await admin.delete('overrides?subject=gone&limit=m');
      expect(cleared).toMatchObject({ status: 200 });
      expect(cleared.body).toEqual({ deleted: 2, more: false, published: true });
      expect(await Promise.all([a, b].map(epochOf))).toEqual(epochs.map((epoch) => epoch + 1));
      const statuses = await Promise.all(
        ids.map(async (id) => (await admin.get(`overrides/${id}`)).status),
      );
      expect(statuses).toEqual([404, 404, 200]);
      for (const [at, owner] of [a, b].entries()) {
        const { body } = await admin.get(`audit?object_id=${ids[at]}`);
        expect(body.items[0]).toMatchObject({
          action: 'delete',
          tenant_id: owner,
          before: { id: ids[at], subject_hash: subjectHash(owner, 'gone') },
          after: null,
        });
      }
    });

    it('of nothing when the filters find nothing, and tells no tenant', async () => {
      const { admin } = suite;
      const before = await epochOf(tenant_id);
      const { body } = await admin.delete(`overrides?tenant_id=${tenant_id}&subject=nobody`);
      expect(body).toEqual({ deleted: 0, more: false, published: true });
      expect(await epochOf(tenant_id)).toBe(before);
    });

    it('only with a filter', async () => {
      const { admin } = suite;
      const answer = await admin.delete('overrides');
      expect([answer.status, fieldOf(answer)]).toEqual([400, 'query']);
      expect((await admin.delete('overrides?tenant_id=shared')).status).toBe(400);
    });

    it('a thousand at once, and says that there are more', async () => {
      const { admin, rig } = suite;
      const id = await fill(1003);
      const first = await admin.delete(`overrides?tenant_id=${id}`);
      expect(first.body).toMatchObject({ deleted: 1000, more: true });
      const second = await admin.delete(`overrides?tenant_id=${id}`);
      expect(second.body).toMatchObject({ deleted: 3, more: false });
      const { count } = await rig.database.db
        .selectFrom('audit_entries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('tenant_id', '=', id)
        .where('noun', '=', 'overrides')
        .executeTakeFirstOrThrow();
      expect(count).toBe(1003);
    });

    it('by several at once, each of them once', async () => {
      const { admin, rig } = suite;
      const tenants = [await fill(40), await fill(40), await fill(40)];
      const subject = unique('many');
      await rig.database.db
        .updateTable('overrides')
        .set({ subject })
        .where('tenant_id', 'in', tenants)
        .execute();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => admin.delete(`overrides?subject=${subject}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
      const total = answers.reduce((sum, { body }) => sum + Number(body['deleted']), 0);
      expect(total).toBe(120);
    });
  });

  it('that is cleared while its tenant is deleted leaves the tenant deleted', async () => {
    const { admin, rig } = suite;
    for (let round = 0; round < 5; round += 1) {
      const id = await admin.makeTenant();
      const subject = unique('raced');
      await fillRoom(rig.database.db, 'overrides', id, 20);
      await rig.database.db
        .updateTable('overrides')
        .set({ subject })
        .where('tenant_id', '=', id)
        .execute();
      const [deleted, cleared] = await Promise.all([
        admin.delete(`tenants/${id}`),
        admin.delete(`overrides?subject=${subject}`),
      ]);
      expect([deleted.status, cleared.status]).toEqual([200, 200]);
      expect([0, 20]).toContain(cleared.body['deleted']);
      const epoch = await rig.database.db
        .selectFrom('tenant_epochs')
        .select('deleted')
        .where('tenant_id', '=', id)
        .executeTakeFirst();
      expect(epoch).toEqual({ deleted: true });
    }
  });

  it('by twenty at once with one version is changed by one of them', async () => {
    const { admin } = suite;
    const path = `overrides/${(await make()).body.id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        admin.patch(path, { numbers: { limit: at + 1 }, version: 1 }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    const { body } = await admin.get(path);
    expect(body).toMatchObject({ version: 2, numbers: won[0]?.body['numbers'] });
    expect((await admin.get(`audit?object_id=${body.id}`)).body.items).toHaveLength(2);
  });

  it('by twenty at once without a version is changed by all, one after another', async () => {
    const { admin } = suite;
    const path = `overrides/${(await make()).body.id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => admin.patch(path, { reason: `r${at}` })),
    );
    const versions = answers.map(({ body }) => Number(body['version']));
    expect(versions.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 2),
    );
  });

  it('goes with its tenant, its plan and its policy, also while it is made', async () => {
    const { admin, rig } = suite;
    for (let round = 0; round < 5; round += 1) {
      const id = await admin.makeTenant();
      const resource = `GET:/${randomUUID()}`;
      const limits = [{ ...window, name: 'r' }];
      const policy = await admin.post('policies', { resource, limits });
      const fields = { tenant_id: id, limit: 'r', policy_id: policy.body.id };
      const [made, deleted] = await Promise.all([
        make(fields),
        admin.delete(`policies/${policy.body.id}`),
      ]);
      expect([201, 404]).toContain(made.status);
      expect(deleted.status).toBe(200);
      const rows = await rig.database.db
        .selectFrom('overrides')
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
