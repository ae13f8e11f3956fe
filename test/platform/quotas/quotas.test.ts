import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { bind, CheckQuestion, type ParsedCheck } from '../../../limiter/src/core/index.ts';
import { AdminRig, onEveryAdmin, type AdminSuite } from '../admin/rig.ts';
import { readEverything } from '../admin/world.ts';
import { QuotaLimits } from '../../../platform/src/snapshot/quota-limits.ts';
import { SourceReader } from '../../../platform/src/snapshot/index.ts';
import { openEngine } from '../../support/engines.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const teams = {
  eng: { limit: 500, users: { alice: { limit: 100 }, bob: { limit: 50 } } },
  ops: { limit: 300, users: {} },
};

/** The real time, which top-ups end by. */
function setClock({ clock }: AdminSuite): void {
  clock.nowUs = Date.now() * 1000;
}

onEveryAdmin('a quota', (suite) => {
  beforeAll(() => setClock(suite));

  it('is made with defaults, replaced, changed, read and deleted', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    const path = `quotas/${id}`;
    expect((await admin.get(path)).status).toBe(404);
    const made = await admin.put(path, { limit: 1000 });
    expect(made.status).toBe(200);
    expect(made.headers['etag']).toBe('"1"');
    expect(made.body).toEqual({
      tenant_id: id,
      name: 'quota',
      period: 'month',
      unit: 'requests',
      limit: 1000,
      mode: null,
      overcommit: false,
      teams: {},
      version: 1,
      created_at: expect.stringMatching(instant),
      updated_at: made.body['created_at'],
      published: true,
    });
    const fields = { name: 'calls', period: 'day', unit: 'tokens', limit: 900, mode: 'monitor' };
    const replaced = await admin.put(path, { ...fields, teams });
    expect(replaced.body).toMatchObject({ ...fields, mode: 'shadow', teams, version: 2 });
    const changed = await admin.patch(path, { teams: { ops: { limit: 900 } }, mode: null });
    expect(changed.body).toMatchObject({ name: 'calls', limit: 900, mode: null, version: 3 });
    expect(changed.body['teams']).toEqual({ ops: { limit: 900, users: {} } });
    const again = await admin.put(path, { limit: 7 });
    expect(again.body).toMatchObject({ name: 'quota', period: 'month', teams: {}, version: 4 });
    const deleted = await admin.delete(path);
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true, published: true } });
    for (const answer of [
      await admin.get(path),
      await admin.patch(path, { limit: 5 }),
      await admin.delete(path),
      await admin.post(`${path}/top-up`, { amount: 5, reason: 'x' }),
      await admin.put(path, { limit: 5, version: 4 }),
      await admin.put(`quotas/${randomUUID()}`, { limit: 5 }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await admin.put(path, { limit: 5 })).body).toMatchObject({ version: 1 });
  });

  it('goes with its tenant', async () => {
    const { admin, rig } = suite;
    const id = await admin.makeTenant();
    await admin.put(`quotas/${id}`, { limit: 10 });
    await admin.post(`quotas/${id}/top-up`, { amount: 5, reason: 'x' });
    expect((await admin.delete(`tenants/${id}`)).status).toBe(200);
    for (const table of ['quotas', 'quota_top_ups'] as const) {
      const query = rig.database.db.selectFrom(table).selectAll().where('tenant_id', '=', id);
      expect(await query.execute()).toEqual([]);
    }
  });

  it('tells its period in the time zone and from the billing day of its tenant', async () => {
    const { admin, clock } = suite;
    clock.nowUs = Date.UTC(2026, 10, 16, 12) * 1000;
    const id = await admin.makeTenant({ timezone: 'Europe/Berlin', billing_anchor_day: 31 });
    await admin.put(`quotas/${id}`, { limit: 10 });
    expect((await admin.get(`quotas/${id}`)).body).toMatchObject({
      starts_at: '2026-10-30T23:00:00.000Z',
      ends_at: '2026-11-29T23:00:00.000Z',
    });
    for (const [period, starts_at, ends_at] of [
      ['hour', '2026-11-16T12:00:00.000Z', '2026-11-16T13:00:00.000Z'],
      ['day', '2026-11-15T23:00:00.000Z', '2026-11-16T23:00:00.000Z'],
      ['week', '2026-11-15T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
      ['year', '2025-12-31T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
    ]) {
      await admin.patch(`quotas/${id}`, { period });
      expect((await admin.get(`quotas/${id}`)).body).toMatchObject({ starts_at, ends_at });
    }
    setClock(suite);
  });

  it('is refused where parts are more than the whole, unless that is meant', async () => {
    const { admin } = suite;
    const path = `quotas/${await admin.makeTenant()}`;
    await admin.put(path, { limit: 800, teams });
    for (const [body, field, by] of [
      [{ limit: 799 }, 'teams.ops.limit', 1],
      [{ teams: { eng: { limit: 900 } } }, 'teams.eng.limit', 100],
      [
        { teams: { eng: { limit: 10, users: { a: { limit: 7 }, b: { limit: 8 } } } } },
        'teams.eng.users.b.limit',
        5,
      ],
    ] as const) {
      const { status, body: problem } = await admin.patch(path, body);
      expect({ status, errors: problem['errors'] }).toMatchObject({
        status: 400,
        errors: [{ field, problem: expect.stringContaining(` ${by} more than `) }],
      });
      expect((await admin.get(path)).body).toMatchObject({ limit: 800, version: 1 });
    }
    expect((await admin.patch(path, { limit: 10, overcommit: true })).status).toBe(200);
    // Without the leave for more, what is there must fit again.
    expect((await admin.patch(path, { overcommit: false })).status).toBe(400);
    expect((await admin.patch(path, { overcommit: false, teams: {} })).status).toBe(200);
  });

  it('is found on pages, each once', async () => {
    const { admin } = suite;
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      const id = await admin.makeTenant();
      await admin.put(`quotas/${id}`, { limit: at + 1 });
      ids.push(id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await admin.get(`quotas?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map((item) => String(item['tenant_id'])));
      cursor = body.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(ids));
  });

  describe('is topped up', () => {
    it('until the period ends, for the organisation only', async () => {
      const { admin } = suite;
      const { id: author, token } = await admin.makeToken('operator');
      const path = `quotas/${await admin.makeTenant()}`;
      await admin.put(path, { limit: 1000, teams });
      const { ends_at } = (await admin.get(path)).body;
      const more = { amount: 200, reason: 'a launch' };
      const made = await admin.post(`${path}/top-up`, more, { token });
      expect(made.status).toBe(201);
      expect(made.body).toEqual({
        id: expect.any(String),
        ...more,
        author,
        ends_at,
        limit: 1200,
        published: true,
      });
      const second = await admin.post(`${path}/top-up`, { amount: 1, reason: 'b' });
      expect(second.body['limit']).toBe(1201);
      const { body } = await admin.get(path);
      expect(body).toMatchObject({
        limit: 1000,
        effective_limit: 1201,
        remaining: 1201,
        version: 3,
        teams: { eng: { limit: 500, remaining: 500 } },
        top_ups: [more, { amount: 1, author: 'bootstrap' }],
      });
    });

    it('no further than can be counted, and not without end', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      await admin.put(`quotas/${id}`, { limit: 2 ** 50 - 1 });
      const topUp = (amount: number) => admin.post(`quotas/${id}/top-up`, { amount, reason: 'x' });
      expect((await topUp(2)).status).toBe(400);
      expect((await topUp(1)).status).toBe(201);
      expect((await topUp(1)).status).toBe(400);
      // What the limit says later is counted as far as it can be.
      await admin.patch(`quotas/${id}`, { limit: 2 ** 50 });
      expect((await admin.get(`quotas/${id}`)).body).toMatchObject({ effective_limit: 2 ** 50 });
      await admin.patch(`quotas/${id}`, { limit: 1 });
      const rows = Array.from({ length: 99 }, () => ({
        id: randomUUID(),
        tenant_id: id,
        amount: 1,
        reason: 'x',
        author: 'x',
        ends_at: new Date(Date.now() + 3_600_000),
      }));
      await rig.database.db.insertInto('quota_top_ups').values(rows).execute();
      expect(await topUp(1)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    });

    it('for a period that ended no more', async () => {
      const { admin, rig } = suite;
      const id = await admin.makeTenant();
      await admin.put(`quotas/${id}`, { limit: 10 });
      await admin.post(`quotas/${id}/top-up`, { amount: 5, reason: 'x' });
      await rig.database.db
        .updateTable('quota_top_ups')
        .set({ ends_at: new Date(Date.now() - 1) })
        .where('tenant_id', '=', id)
        .execute();
      expect((await admin.get(`quotas/${id}`)).body).toMatchObject({
        effective_limit: 10,
        top_ups: [],
      });
    });
  });

  describe("in the hands of a tenant's own token", () => {
    let id: string;
    const tokens: string[] = [];

    beforeAll(async () => {
      const { admin } = suite;
      id = await admin.makeTenant();
      await admin.put(`quotas/${id}`, { limit: 1000, period: 'day', mode: 'warn' });
      for (const role of ['operator', 'owner'] as const) {
        tokens.push((await admin.makeToken(role, id)).token);
      }
    });

    it('is dealt out among its teams', async () => {
      const { admin } = suite;
      for (const token of tokens) {
        const dealt = await admin.patch(`quotas/${id}`, { teams, overcommit: true }, { token });
        expect(dealt).toMatchObject({ status: 200, body: { teams, overcommit: true } });
        const whole = { limit: 1000, period: 'day', mode: 'warn', teams: {} };
        const put = await admin.put(`quotas/${id}`, whole, { token });
        expect(put).toMatchObject({ status: 200, body: { ...whole, overcommit: false } });
        const same = await admin.patch(`quotas/${id}`, { limit: 1000, teams }, { token });
        expect(same.status).toBe(200);
      }
    });

    it('stays as large as the platform made it', async () => {
      const { admin, rig } = suite;
      const before = await readEverything(rig.database.db);
      for (const token of tokens) {
        for (const body of [
          { limit: 1001 },
          { limit: 999 },
          { name: 'mine' },
          { period: 'hour' },
          { unit: 'tokens' },
          { mode: 'off' },
          { mode: null },
          { limit: 2000, teams },
        ]) {
          const answer = await admin.patch(`quotas/${id}`, body, { token });
          expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
        }
        // Leaving out the period would make it another.
        const put = await admin.put(`quotas/${id}`, { limit: 1000 }, { token });
        expect(put.status).toBe(403);
        const more = { amount: 1, reason: 'please' };
        expect((await admin.post(`quotas/${id}/top-up`, more, { token })).status).toBe(403);
        expect((await admin.delete(`quotas/${id}`, { token })).status).toBe(403);
      }
      expect(await readEverything(rig.database.db)).toBe(before);
    });

    it('is not made, and of others not seen', async () => {
      const { admin } = suite;
      const [other, bare] = [await admin.makeTenant(), await admin.makeTenant()];
      await admin.put(`quotas/${other}`, { limit: 5 });
      const [token = ''] = tokens;
      expect((await admin.get(`quotas/${other}`, { token })).status).toBe(404);
      expect((await admin.patch(`quotas/${other}`, { teams: {} }, { token })).status).toBe(404);
      expect((await admin.put(`quotas/${other}`, { limit: 5 }, { token })).status).toBe(404);
      const { body } = await admin.get('quotas', { token });
      expect(body.items.map((item) => item['tenant_id'])).toEqual([id]);
      const own = (await admin.makeToken('owner', bare)).token;
      expect((await admin.put(`quotas/${bare}`, { limit: 5 }, { token: own })).status).toBe(403);
      expect((await admin.patch(`quotas/${bare}`, { teams: {} }, { token: own })).status).toBe(404);
    });
  });

  describe('changed by many at once', () => {
    const twenty = <T>(make: (at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 20 }, (_, at) => make(at)));

    it('with one version is changed by one of them', async () => {
      const { admin } = suite;
      const path = `quotas/${await admin.makeTenant()}`;
      await admin.put(path, { limit: 1000 });
      for (const [round, method] of (['put', 'patch'] as const).entries()) {
        const version = round + 1;
        const answers = await twenty((at) => admin[method](path, { limit: 100 + at, version }));
        const won = answers.filter(({ status }) => status === 200);
        expect(won).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
        const { limit } = (won[0] as (typeof won)[number]).body;
        expect((await admin.get(path)).body).toMatchObject({ limit, version: version + 1 });
      }
    });

    it('without a version is changed by all, one after another', async () => {
      const { admin } = suite;
      const id = await admin.makeTenant();
      const versions = async (method: 'put' | 'patch') => {
        const answers = await twenty((at) => admin[method](`quotas/${id}`, { limit: 100 + at }));
        return answers.map(({ body }) => Number(body['version'])).toSorted((a, b) => a - b);
      };
      expect(await versions('put')).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
      expect(await versions('patch')).toEqual(Array.from({ length: 20 }, (_, at) => at + 21));
      const topUps = await twenty(() =>
        admin.post(`quotas/${id}/top-up`, { amount: 1, reason: 'x' }),
      );
      const limits = topUps.map(({ body }) => Number(body['limit'])).toSorted((a, b) => a - b);
      const { limit } = (await admin.get(`quotas/${id}`)).body;
      expect(limits).toEqual(Array.from({ length: 20 }, (_, at) => Number(limit) + at + 1));
      const { body } = await admin.get(`audit?object_id=${id}&noun=quotas&limit=200`);
      expect(body.items).toHaveLength(60);
    });

    it('is never made for a tenant that is gone', async () => {
      const { admin, rig } = suite;
      for (let round = 0; round < 5; round += 1) {
        const id = await admin.makeTenant();
        const [put, deleted] = await Promise.all([
          admin.put(`quotas/${id}`, { limit: 5 }),
          admin.delete(`tenants/${id}`),
        ]);
        expect([200, 404]).toContain(put.status);
        expect(deleted.status).toBe(200);
        const query = rig.database.db.selectFrom('quotas').selectAll().where('tenant_id', '=', id);
        expect(await query.execute()).toEqual([]);
      }
    });
  });

  it('is in the audit with every change, and raises the epoch of its tenant', async () => {
    const { admin, rig } = suite;
    const id = await admin.makeTenant();
    const path = `quotas/${id}`;
    const epoch = async () => {
      const query = rig.database.db
        .selectFrom('tenant_epochs')
        .select(['epoch', 'published_epoch']);
      return query.where('tenant_id', '=', id).executeTakeFirstOrThrow();
    };
    const steps = [
      () => admin.put(path, { limit: 10 }),
      () => admin.put(path, { limit: 11 }),
      () => admin.patch(path, { limit: 12 }),
      () => admin.post(`${path}/top-up`, { amount: 5, reason: 'why not' }),
      () => admin.delete(path),
    ];
    const { epoch: first } = await epoch();
    for (const [at, step] of steps.entries()) {
      expect((await step()).body).toMatchObject({ published: true });
      const now = first + at + 1;
      expect(await epoch()).toEqual({ epoch: now, published_epoch: now });
    }
    await admin.patch(path, { limit: 5 });
    const { body } = await admin.get(`audit?object_id=${id}&noun=quotas`);
    expect(body.items.toReversed()).toMatchObject([
      { action: 'create', before: null, after: { limit: 10, version: 1 }, tenant_id: id },
      { action: 'update', before: { limit: 10 }, after: { limit: 11 } },
      { action: 'update', before: { limit: 11 }, after: { limit: 12 } },
      { action: 'update', after: { limit: 12, top_up: { amount: 5, reason: 'why not' } } },
      { action: 'delete', before: { limit: 12 }, after: null },
    ]);
    expect(body.items).toHaveLength(5);
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});

for (const engineKind of ['memory', 'redis'] as const) {
  onEveryAdmin(
    `what is used of a quota (${engineKind})`,
    (suite) => {
      beforeAll(() => setClock(suite));

      /** Charged as a check charges it. */
      async function use(id: string, cost: number, attributes: Record<string, string> = {}) {
        const source = await new SourceReader(suite.rig.database.db).tenant(id);
        if (!source?.quota) throw new Error('no quota');
        const tree = QuotaLimits.of(source.quota, {
          calendar: source,
          nowMs: Date.now(),
          mode: 'enforce',
        });
        const check: ParsedCheck = {
          resource: 'r',
          subject: 's',
          tenant: source.name,
          key: null,
          cost,
          costs: {},
          attributes,
          idempotencyKey: null,
          reserve: null,
        };
        const question = new CheckQuestion(check, bind(tree?.applying(attributes) ?? [], check));
        const tenant = { id, generation: source.generation };
        const result = await suite.engine.decide({ tenant, questions: [question] });
        return result.kind === 'answered' && result.answers[0]?.kind === 'decided'
          ? result.answers[0].allowed
          : null;
      }

      it('is told at every level', async () => {
        const { admin } = suite;
        const id = await admin.makeTenant();
        await admin.put(`quotas/${id}`, { limit: 1000, teams });
        expect(await use(id, 10)).toBe(true);
        expect(await use(id, 20, { team: 'eng' })).toBe(true);
        expect(await use(id, 40, { team: 'eng', user: 'alice' })).toBe(true);
        expect(await use(id, 5, { team: 'ops', user: 'alice' })).toBe(true);
        expect(await use(id, 61, { team: 'eng', user: 'alice' })).toBe(false);
        const { body } = await admin.get(`quotas/${id}`);
        expect(body).toMatchObject({ limit: 1000, used: 75, remaining: 925 });
        expect(body['teams']).toEqual({
          eng: {
            limit: 500,
            used: 60,
            remaining: 440,
            users: {
              alice: { limit: 100, used: 40, remaining: 60 },
              bob: { limit: 50, used: 0, remaining: 50 },
            },
          },
          ops: { limit: 300, used: 5, remaining: 295, users: {} },
        });
      });

      it('leaves nothing under a limit that is lower, and all that a top-up adds', async () => {
        const { admin } = suite;
        const id = await admin.makeTenant();
        await admin.put(`quotas/${id}`, { limit: 100 });
        await use(id, 60);
        expect((await admin.patch(`quotas/${id}`, { limit: 50 })).status).toBe(200);
        expect((await admin.get(`quotas/${id}`)).body).toMatchObject({ used: 60, remaining: 0 });
        expect(await use(id, 1)).toBe(false);
        await admin.post(`quotas/${id}/top-up`, { amount: 15, reason: 'x' });
        expect((await admin.get(`quotas/${id}`)).body).toMatchObject({ used: 60, remaining: 5 });
        expect(await use(id, 5)).toBe(true);
        expect(await use(id, 1)).toBe(false);
      });

      it('is told of the largest tree there can be', async () => {
        const { admin } = suite;
        const id = await admin.makeTenant();
        const users = Object.fromEntries(
          Array.from({ length: 10 }, (_, at) => [`u${at}`, { limit: 1 }]),
        );
        const large = Object.fromEntries(
          Array.from({ length: 200 }, (_, at) => [`t${at}`, { limit: 10, users }]),
        );
        await admin.put(`quotas/${id}`, { limit: 2000, teams: large });
        await use(id, 1, { team: 't199', user: 'u9' });
        const { body } = await admin.get(`quotas/${id}`);
        const told = body['teams'] as Record<string, { used: number; users: object }>;
        expect(Object.keys(told)).toHaveLength(200);
        expect(told['t199']).toMatchObject({ used: 1, users: { u9: { used: 1, remaining: 0 } } });
        expect(told['t0']).toMatchObject({ used: 0, users: { u9: { used: 0 } } });
      });
    },
    { engineKind },
  );
}

onEveryAdmin('a quota whose store is away', (suite) => {
  it('is told without what is used', async () => {
    const lost = await openEngine('redis');
    await lost.close();
    const admin = await AdminRig.open(suite.rig.database, lost.engine);
    const id = await suite.admin.makeTenant();
    await suite.admin.put(`quotas/${id}`, { limit: 1000, teams });
    const { status, body } = await admin.get(`quotas/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 1000, effective_limit: 1000, used: null, remaining: null });
    expect(body).toMatchObject({ teams: { eng: { limit: 500, used: null } } });
    expect(Date.parse(String(body['ends_at']))).toBeGreaterThan(Date.now());
    expect(admin.unexpected).toEqual([]);
    await admin.app.close();
  });
});
