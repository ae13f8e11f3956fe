import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Pools } from '../../../platform/src/control/pools/pools.ts';
import { Seal } from '../../../platform/src/snapshot/index.ts';
import { poolAddresses } from '../../../platform/src/store/index.ts';
import { onEveryAdmin, owner } from './rig.ts';
import { readEverything } from './world.ts';

const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const url = 'redis://sluice:s3cr3t-w0rd@redis.example:6380/2';
const shownUrl = 'redis://sluice:***@redis.example:6380/2';

onEveryAdmin('pools', (suite) => {
  const epochOf = (tenantId: string) =>
    suite.rig.database.db
      .selectFrom('tenant_epochs')
      .select(['generation', 'place'])
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow();
  const movesOf = (tenantId: string) =>
    suite.rig.database.db
      .selectFrom('tenant_moves')
      .select(['generation', 'place'])
      .where('tenant_id', '=', tenantId)
      .orderBy('generation')
      .execute();

  it('are there from the first, one for each tier and one for all others', async () => {
    const { items } = (await suite.admin.get('pools?limit=200')).body;
    const shown = items.map(({ name, redis_url, connections, max_in_flight, tiers }) => [
      name,
      redis_url,
      connections,
      max_in_flight,
      tiers,
    ]);
    for (const pool of [
      ['default', null, 10, 10, []],
      ['free', null, 5, 5, ['free']],
      ['starter', null, 10, 10, ['starter']],
      ['business', null, 25, 25, ['business']],
      ['enterprise', null, 50, 50, ['enterprise']],
    ]) {
      expect(shown).toContainEqual(pool);
    }
  });

  it('are made, read, found, changed and deleted', async () => {
    const { admin } = suite;
    const [name, tier] = [unique('acme'), unique('tier')];
    const made = await admin.post('pools', { name, redis_url: url, connections: 8, tiers: [tier] });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name,
      redis_url: shownUrl,
      connections: 8,
      max_in_flight: 8,
      tiers: [tier],
      version: 1,
      published: false,
    });
    const path = `pools/${made.body.id}`;
    expect((await admin.get(`pools?name=${name}`)).body.items).toMatchObject([
      { id: made.body.id },
    ]);
    const changed = await admin.patch(path, { max_in_flight: 3, connections: 9 });
    expect(changed.body).toMatchObject({ max_in_flight: 3, connections: 9, tiers: [tier] });
    const back = await admin.patch(path, { max_in_flight: null, tiers: [] });
    expect(back.body).toMatchObject({ max_in_flight: 9, tiers: [], version: 3 });
    const { published: _, publication: __, ...object } = back.body;
    expect((await admin.get(path)).body).toEqual(object);
    expect((await admin.delete(path)).body).toMatchObject({ deleted: true });
    expect((await admin.get(path)).status).toBe(404);
  });

  it('show their password to nobody: not in answers, audit or tables', async () => {
    const { admin, rig } = suite;
    const made = await admin.post('pools', { name: unique('p'), redis_url: url });
    const path = `pools/${made.body.id}`;
    const other = url.replace('s3cr3t-w0rd', 's3cr3t-n3xt');
    const answers = [
      made,
      await admin.patch(path, { redis_url: other }),
      await admin.get(path),
      await admin.get('pools?limit=200'),
      await admin.patch(path, { redis_url: `${other}@:@/x` }),
      await admin.patch(path, { redis_url: `${other}?password=s3cr3t-asked` }),
      await admin.get(`audit?object_id=${made.body.id}`),
      await admin.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 400, 400, 200, 200]);
    expect(answers[6]?.body.items.map(({ action }) => action)).toEqual(['update', 'create']);
    for (const { text } of answers) expect(text).not.toContain('s3cr3t');
    expect(await readEverything(rig.database.db)).not.toContain('s3cr3t');
  });

  it.each([
    ['http://redis.example:6379'],
    ['redis.example:6379'],
    ['redis://'],
    ['redis://redis.example:6379/name'],
    ['redis://redis.example:6379#x'],
    ['redis://a:6379,http://b:6379'],
    [''],
  ])('refuse %s for an address', async (address) => {
    const refused = await suite.admin.post('pools', { name: unique('p'), redis_url: address });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body['errors']).toMatchObject([{ field: 'redis_url' }]);
  });

  it('have names and tiers of their own', async () => {
    const { admin } = suite;
    const [name, tier] = [unique('a'), unique('tier')];
    expect((await admin.post('pools', { name, tiers: [tier] })).status).toBe(201);
    const again = await admin.post('pools', { name });
    expect(again.body['errors']).toMatchObject([{ field: 'name' }]);
    const other = await admin.post('pools', { name: unique('b') });
    const taken = await admin.patch(`pools/${other.body.id}`, { tiers: [tier] });
    expect(taken).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(taken.body.detail).toContain(`the pool ${name}`);
  });

  it('in use are not deleted, and the default one never', async () => {
    const { admin } = suite;
    const [name, tier] = [unique('a'), unique('tier')];
    const pool = await admin.post('pools', { name, tiers: [tier] });
    const path = `pools/${pool.body.id}`;
    const byName = await admin.makeTenant({ pool: name });
    const byTier = await admin.makeTenant({ tier });
    expect((await admin.delete(path)).body.detail).toContain('2 tenants are in this pool');
    await admin.patch(`tenants/${byName}`, { pool: null });
    expect((await admin.delete(path)).body.detail).toContain('1 tenant is in this pool');
    await admin.patch(`tenants/${byTier}`, { pool: 'default' });
    expect((await admin.delete(path)).status).toBe(200);
    const [fallback] = (await admin.get('pools?name=default')).body.items;
    expect((await admin.delete(`pools/${fallback?.id}`)).status).toBe(409);
    const ofItsOwn = await admin.patch(`pools/${fallback?.id}`, { redis_url: url });
    expect(ofItsOwn.body['errors']).toMatchObject([{ field: 'redis_url' }]);
  });

  it('that a tenant names must be there', async () => {
    const { admin } = suite;
    const id = await admin.makeTenant();
    const unknown = await admin.patch(`tenants/${id}`, { pool: unique('nothing') });
    expect(unknown.body['errors']).toMatchObject([{ field: 'pool' }]);
    const fresh = await admin.post('tenants', { name: 'a', pool: unique('nothing') });
    expect(fresh.status).toBe(400);
  });

  it('need a Redis that all share before they have one of their own', async () => {
    const { changes } = suite.admin.control.counters;
    const pools = new Pools({
      db: suite.rig.database.db,
      changes,
      addresses: poolAddresses,
      seal: new Seal(''),
      hasRedis: false,
      faultsOf: async () => [],
    });
    await expect(pools.create(owner, { name: unique('p'), redis_url: url })).rejects.toThrow(
      'SLUICE_REDIS_URL',
    );
    await expect(pools.create(owner, { name: unique('p') })).resolves.toMatchObject({});
  });

  describe('with a Redis of their own', () => {
    it('have a new generation of whoever comes or goes, and remember where it was', async () => {
      const { admin } = suite;
      const [name, tier] = [unique('own'), unique('tier')];
      const pool = await admin.post('pools', { name, redis_url: url });
      const place = pool.body.id;
      const born = await admin.makeTenant({ pool: name });
      expect(await epochOf(born)).toEqual({ generation: 0, place });
      expect(await movesOf(born)).toEqual([]);

      const id = await admin.makeTenant({ tier });
      expect(await epochOf(id)).toEqual({ generation: 0, place: null });
      await admin.patch(`tenants/${id}`, { name: 'b', pool: 'default' });
      expect(await epochOf(id)).toEqual({ generation: 0, place: null });
      await admin.patch(`tenants/${id}`, { pool: name });
      expect(await epochOf(id)).toEqual({ generation: 1, place });
      await admin.patch(`tenants/${id}`, { pool: null });
      expect(await epochOf(id)).toEqual({ generation: 2, place: null });
      await admin.patch(`pools/${place}`, { tiers: [tier] });
      expect(await epochOf(id)).toEqual({ generation: 3, place });
      await admin.patch(`tenants/${id}`, { tier: 'free' });
      expect(await epochOf(id)).toEqual({ generation: 4, place: null });
      expect(await movesOf(id)).toEqual([
        { generation: 0, place: null },
        { generation: 1, place },
        { generation: 2, place: null },
        { generation: 3, place },
      ]);
    });

    it('of a tier take in the tenants of that tier as they are made', async () => {
      const { admin } = suite;
      const tier = unique('tier');
      const id = await admin.makeTenant({ tier });
      const other = await admin.makeTenant({ tier, pool: 'default' });
      const pool = await admin.post('pools', {
        name: unique('own'),
        redis_url: url,
        tiers: [tier],
      });
      expect(await epochOf(id)).toEqual({ generation: 1, place: pool.body.id });
      expect(await epochOf(other)).toEqual({ generation: 0, place: null });
    });

    it('lead elsewhere only while nobody is counted there', async () => {
      const { admin } = suite;
      const name = unique('own');
      const pool = await admin.post('pools', { name, redis_url: url });
      const path = `pools/${pool.body.id}`;
      const id = await admin.makeTenant({ pool: name });
      const elsewhere = url.replace('6380', '6381');
      for (const redis_url of [elsewhere, null]) {
        const refused = await admin.patch(path, { redis_url });
        expect(refused.status).toBe(409);
        expect(refused.body['errors']).toMatchObject([{ field: 'redis_url' }]);
      }
      const rotated = await admin.patch(path, { redis_url: url.replace('s3cr3t', 'n3w') });
      expect(rotated.status).toBe(200);
      await admin.delete(`tenants/${id}`);
      expect((await admin.patch(path, { redis_url: elsewhere })).body['redis_url']).toBe(
        shownUrl.replace('6380', '6381'),
      );
      expect((await admin.delete(path)).status).toBe(200);
    });

    it('are not deleted while usage of who left is still to be collected', async () => {
      const { admin, rig } = suite;
      const name = unique('own');
      const pool = await admin.post('pools', { name, redis_url: url });
      const id = await admin.makeTenant({ pool: name });
      await admin.patch(`tenants/${id}`, { pool: null });
      const refused = await admin.delete(`pools/${pool.body.id}`);
      expect(refused.body.detail).toContain('Usage of 1 tenant is still being collected');
      await rig.database.db.deleteFrom('tenant_moves').where('tenant_id', '=', id).execute();
      expect((await admin.delete(`pools/${pool.body.id}`)).status).toBe(200);
    });
  });
});
