import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../platform/src/database/index.ts';
import { AddressFailures } from '../../../platform/src/decide/index.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { makePlace } from '../../support/databases.ts';
import { openEngine } from '../../support/engines.ts';
import { AdminRig, bootstrap } from './rig.ts';

describe('over a real connection', () => {
  let database: Database;
  let proxy: FaultProxy;
  let admin: AdminRig;
  let address: string;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const place = await makePlace('postgres', { migrated: true });
    if (!('url' in place.options)) throw new Error('a real database has an address');
    const url = new URL(place.options.url);
    proxy = await FaultProxy.start(Number(url.port));
    url.port = String(proxy.port);
    database = await openDatabase({ url: url.href });
    const failures = new AddressFailures();
    const engine = await openEngine('memory');
    admin = await AdminRig.open(database, engine.engine, { failures });
    address = await admin.app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(
      () => admin.app.close(),
      () => database.close(),
      () => proxy.stop(),
      place.remove,
      () => failures.close(),
      engine.close,
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const send = (method: string, path: string, body?: unknown, token = bootstrap) =>
    fetch(`${address}/v1/admin/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('a tenant is made, read, changed and deleted', async () => {
    const made = await send('POST', 'tenants', { name: 'Acme' });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const read = await send('GET', `tenants/${id}`);
    expect(read.headers.get('etag')).toBe('"1"');
    expect((await send('HEAD', `tenants/${id}`)).status).toBe(200);
    expect((await send('PATCH', `tenants/${id}`, { name: 'b', version: 1 })).status).toBe(200);
    expect((await send('DELETE', `tenants/${id}`)).status).toBe(200);
    expect((await send('PUT', `tenants/${id}`, {})).status).toBe(405);
  });

  it('without its database every route says 503 and when to come back, and nothing is lost', async () => {
    const { token } = await admin.makeToken('owner');
    const made = await send('POST', 'tenants', { name: 'Acme' });
    const { id } = (await made.json()) as { id: string };
    proxy.fault = { kind: 'swallow' };
    await database.pool.query('select 1').catch(() => {});
    const answers = await Promise.all([
      send('GET', 'tenants'),
      send('PATCH', `tenants/${id}`, { name: 'lost' }),
      send('GET', 'tenants', undefined, token),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(await answer.json()).toMatchObject({ code: 'unavailable' });
    }
    proxy.fault = { kind: 'pass' };
    const after = await send('GET', `tenants/${id}`, undefined, token);
    expect(await after.json()).toMatchObject({ name: 'Acme', version: 1 });
    expect(admin.unexpected).toEqual([]);
  });

  it('who keeps trying tokens is told to wait, before any look-up', async () => {
    const { token, id } = await admin.makeToken('owner');
    const guess = `${token.slice(0, 26)}${'0'.repeat(43)}${token.slice(69)}`;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      statuses.push((await send('GET', 'tenants', undefined, guess)).status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true);
    const limited = await send('GET', 'tenants', undefined, guess);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await limited.json()).toMatchObject({ code: 'too_many_failures' });
    const forwarded = proxy.seen.forwarded;
    expect((await send('GET', 'tenants', undefined, token)).status).toBe(429);
    expect(proxy.seen.forwarded).toBe(forwarded);
    const row = await database.db
      .selectFrom('admin_tokens')
      .select('last_used_at')
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row).toEqual({ last_used_at: null });
  });
});
