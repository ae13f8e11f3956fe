import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base62 } from '../../platform/src/control/credentials/base62.ts';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { openRedis } from '../servers/connect.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import type { Answer } from './rig/client.ts';
import { Documented, type OpenApi } from './rig/documented.ts';
import { type RunningNode, startNode } from './rig/node.ts';
import { onEveryStack } from './rig/stacks.ts';
import { statementLog, statementsDuring, withoutBackground } from './rig/statements.ts';

const body = { resource: 'GET:/orders', subject: 'ann' };
/** Every test comes from an address of its own. */
const settings = { SLUICE_TRUSTED_PROXIES: '127.0.0.1/32' };
let addresses = 0;
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${(addresses += 1)}` });

/** The same id under another secret, as somebody would who knows ids. */
function withOtherSecret(key: string): string {
  const other = mint('key', 'another').text.split('_')[2] ?? '';
  const [prefix, id] = key.split('_');
  const text = `${prefix}_${id}_${other.slice(0, 43)}`;
  return text + base62(BigInt(crc32(text)), 6);
}

const documented = new Documented();

onEveryStack(
  'an API key',
  (rig) => {
    it('that is not valid, for whatever reason, is answered alike', async () => {
      const { mark } = rig.node.service.foundation.secrets;
      const known = await rig.client.makeTenant();
      const revoked = await rig.client.makeTenant();
      const deleted = await rig.client.makeTenant();
      for (const { key } of [known, revoked, deleted]) {
        expect((await rig.client.check(key, body, newAddress())).status).toBe(200);
      }
      await rig.client.change('DELETE', `keys/${revoked.keyId}`);
      await rig.client.change('DELETE', `tenants/${deleted.id}`);
      const expired = await rig.client.change('POST', 'keys', {
        tenant_id: known.id,
        name: 'short',
        expires_at: new Date(Date.now() + 300).toISOString(),
      });
      await sleep(350);
      const mistyped = known.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      const wrong: Readonly<Record<string, string>> = {
        none: '',
        nonsense: 'nonsense',
        long: 'x'.repeat(2000),
        'a token': mint('token', mark).text,
        'the admin token': rig.node.service.adminToken,
        mistyped,
        'of another service': mint('key', 'another').text,
        unknown: mint('key', mark).text,
        'with another secret': withOtherSecret(known.key),
        revoked: revoked.key,
        'of a deleted tenant': deleted.key,
        expired: expired['key'],
      };
      const from = newAddress();
      const answers = new Map<string, Answer>();
      for (const [why, key] of Object.entries(wrong)) {
        answers.set(why, await rig.client.check(key, body, from));
      }
      const said = [...answers].map(([why, { status, headers, body: problem }]) => {
        const { request_id: _, ...rest } = problem;
        return [why, status, headers.get('www-authenticate'), rest];
      });
      expect(said).toEqual(
        Object.keys(wrong).map((why) => [
          why,
          401,
          'Bearer realm="sluice"',
          {
            type: 'about:blank',
            title: 'A valid credential is needed',
            status: 401,
            code: 'unauthenticated',
            detail: 'The key is missing, unknown, revoked or expired.',
          },
        ]),
      );
      // Each of them again, and on the other routes.
      for (const [why, key] of Object.entries(wrong)) {
        const headers = { 'x-api-key': key, ...newAddress() };
        expect((await rig.client.get('/v1/usage', headers)).status, why).toBe(401);
        expect((await rig.client.checks(key, [body], newAddress())).status, why).toBe(401);
      }
    });

    it('is refused from the moment it expires, and not before', async () => {
      const { id } = await rig.client.makeTenant();
      const expiresAtMs = Date.now() + 1500;
      const made = await rig.client.change('POST', 'keys', {
        tenant_id: id,
        name: 'short',
        expires_at: new Date(expiresAtMs).toISOString(),
      });
      const from = newAddress();
      const sentMs: number[] = [];
      let status: number;
      do {
        await sleep(20);
        sentMs.push(Date.now());
        ({ status } = await rig.client.check(made['key'], body, from));
      } while (status === 200);
      expect(status).toBe(401);
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
      // All but the last were allowed.
      expect(sentMs.at(-2)).toBeLessThan(expiresAtMs);
    });

    it('that is rotated works beside its successor until the overlap is over', async () => {
      const { key, keyId } = await rig.client.makeTenant();
      const from = newAddress();
      expect((await rig.client.check(key, body, from)).status).toBe(200);
      const rotated = await rig.client.change('POST', `keys/${keyId}/rotate`, {
        overlap_seconds: 2,
      });
      const both = async () => [
        (await rig.client.check(key, body, from)).status,
        (await rig.client.check(rotated['key'], body, from)).status,
      ];
      expect(await both()).toEqual([200, 200]);
      await sleep(2050);
      expect(await both()).toEqual([401, 200]);
      const atOnce = await rig.client.change('POST', `keys/${rotated['id']}/rotate`, {
        overlap_seconds: 0,
      });
      expect((await rig.client.check(rotated['key'], body, from)).status).toBe(401);
      expect((await rig.client.check(atOnce['key'], body, from)).status).toBe(200);
    });

    it('that is revoked is refused at its next check, and one with new scopes has them', async () => {
      const { key, keyId } = await rig.client.makeTenant({ scopes: ['usage'] });
      const from = newAddress();
      expect((await rig.client.check(key, body, from)).status).toBe(403);
      await rig.client.change('PATCH', `keys/${keyId}`, { scopes: ['check'] });
      expect((await rig.client.check(key, body, from)).status).toBe(200);
      const usage = await rig.client.get('/v1/usage', { 'x-api-key': key, ...from });
      expect(usage.status).toBe(403);
      await rig.client.change('DELETE', `keys/${keyId}`);
      expect((await rig.client.check(key, body, from)).status).toBe(401);
    });

    it('that cannot be guessed: after twenty failures an address waits, and known keys do not', async () => {
      const { mark } = rig.node.service.foundation.secrets;
      const { key } = await rig.client.makeTenant();
      const from = newAddress();
      expect((await rig.client.check(key, body, from)).status).toBe(200);
      const seen: number[] = [];
      for (let attempt = 0; attempt < 40; attempt += 1) {
        seen.push((await rig.client.check(mint('key', mark).text, body, from)).status);
      }
      const failures = seen.filter((status) => status === 401).length;
      expect(failures).toBeGreaterThanOrEqual(20);
      expect(seen.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
      const limited = await rig.client.check(mint('key', mark).text, body, from);
      expect(limited.status).toBe(429);
      expect(limited.headers.get('content-type')).toBe('application/problem+json');
      expect(limited.body['code']).toBe('too_many_failures');
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      for (let again = 0; again < 20; again += 1) {
        expect((await rig.client.check(key, body, from)).status).toBe(200);
      }
      expect((await rig.client.check(mint('key', mark).text, body, newAddress())).status).toBe(401);
    });

    it('is answered as documented, in every one of the above', async () => {
      const { body: document } = await rig.client.get('/openapi.json');
      expect(documented.problems(document as unknown as OpenApi)).toEqual([]);
    });

    it('is known for when it was last used, also after a restart', async () => {
      const { key, keyId } = await rig.client.makeTenant();
      expect((await rig.client.admin('GET', `keys/${keyId}`)).body['last_used_at']).toBe(null);
      const beforeMs = Date.now();
      await rig.client.check(key, body, newAddress());
      await rig.restart();
      const { body: found } = await rig.client.admin('GET', `keys/${keyId}`);
      expect(Date.parse(found['last_used_at'])).toBeGreaterThanOrEqual(beforeMs - 1000);
      expect((await rig.client.check(key, body, newAddress())).status).toBe(200);
    });
  },
  { settings, watch: documented.watch },
);

/** What support is asked about: whom it is about is there to read, and can be erased. */
const namesSubjects = /^(receipts|rollout_)/;

describe('on servers of its own', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let folder: string;
  let node: RunningNode;
  const password = 'pass-word-that-nobody-may-see';

  beforeAll(async () => {
    [postgres, redis, folder] = await Promise.all([
      startPostgres({ settings: statementLog }),
      startRedis(),
      createTemporaryFolder('data'),
    ]);
    const withPassword = new URL(postgres.url);
    withPassword.password = password;
    node = await startNode({
      ...settings,
      SLUICE_DATABASE_URL: withPassword.href,
      SLUICE_REDIS_URL: redis.url,
      SLUICE_DATA_DIR: folder,
      SLUICE_LOG_LEVEL: 'trace',
      SLUICE_DEMO: 'on',
    });
  });

  afterAll(async () => {
    await node.stop();
    await Promise.all([postgres.stop(), redis.stop(), removeFolder(folder)]);
  });

  /** What PostgreSQL was asked while these keys were tried from one address. */
  async function asked(keys: readonly string[], headers = newAddress()) {
    const statuses: number[] = [];
    const statements = await statementsDuring(postgres, async () => {
      for (const key of keys) statuses.push((await node.client.check(key, body, headers)).status);
    });
    return { statuses, statements: withoutBackground(statements) };
  }

  const made = (count: number, mark: string) =>
    Array.from({ length: count }, () => mint('key', mark).text);

  it('ids that are not ours cost PostgreSQL nothing, from however many addresses', async () => {
    for (const keys of [made(15, 'another'), made(15, 'another'), made(60, 'another')]) {
      const { statements } = await asked(keys);
      expect(statements).toEqual([]);
    }
  });

  it('an address that has failed too often waits, and those behind it who have a key do not', async () => {
    const from = newAddress();
    const { statuses, statements } = await asked(made(40, 'another'), from);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    // Every two seconds one more may try.
    expect(statuses).toContain(429);
    expect(statements).toEqual([]);
    const { key } = await node.client.makeTenant();
    expect((await node.client.check(key, body, from)).status).toBe(200);
  });

  it('an id that is unknown, or of a tenant that was deleted, is looked up once and not each time', async () => {
    const { mark } = node.service.foundation.secrets;
    const [unknown = ''] = made(1, mark);
    const once = await asked(Array.from({ length: 10 }, () => unknown));
    expect(once.statuses).toEqual(once.statuses.map(() => 401));
    expect(once.statements).toHaveLength(1);
    const deleted = await node.client.makeTenant();
    await node.client.check(deleted.key, body, newAddress());
    await node.client.change('DELETE', `tenants/${deleted.id}`);
    const gone = await asked(Array.from({ length: 10 }, () => deleted.key));
    expect(gone.statuses).toEqual(gone.statuses.map(() => 401));
    expect(gone.statements.length).toBeLessThanOrEqual(3);
  });

  it('a wrong secret for a known id costs PostgreSQL nothing', async () => {
    const { key } = await node.client.makeTenant();
    await node.client.check(key, body, newAddress());
    const { statuses, statements } = await asked(
      Array.from({ length: 30 }, () => withOtherSecret(key)),
    );
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(statements).toEqual([]);
  });

  it('no secret and no subject is in logs, metrics, answers, PostgreSQL or Redis', async () => {
    const { client } = node;
    const subject = 'subject-that-nobody-may-see';
    const attribute = 'attribute-that-nobody-may-see';
    const answers: string[] = [];
    const tenant = await client.makeTenant({
      limits: [
        { algorithm: 'fixed_window', limit: 2, window_seconds: 3600 },
        { name: 'w', algorithm: 'fixed_window', limit: 1, window_seconds: 3600, mode: 'warn' },
      ],
    });
    const token = await client.change('POST', 'tokens', { name: 't', role: 'viewer' });
    const secrets = [tenant.key, token['token'], node.service.adminToken].map(String);
    const say = (answer: Answer) => answers.push(answer.text, JSON.stringify([...answer.headers]));
    const check = { resource: 'GET:/x', subject, attributes: { team: attribute } };
    for (let times = 0; times < 4; times += 1) say(await client.check(tenant.key, check));
    say(await client.check(tenant.key, { ...check, [tenant.key]: 1 }));
    say(await client.check(tenant.key, `{"resource":"${tenant.key}`));
    say(await client.check(tenant.key.slice(0, -1), check));
    say(await client.check(withOtherSecret(tenant.key), check));
    say(await client.get(`/v1/nothing/${tenant.key}?key=${tenant.key}`));
    say(await client.get('/v1/usage?subject=s', { 'x-api-key': tenant.key }));
    say(await client.get('/v1/admin/tenants', { authorization: `Bearer ${token['token']}` }));
    say(await client.get('/v1/admin/tenants', { authorization: `Bearer ${token['token']}x` }));
    say(await client.admin('GET', 'audit'));
    say(await client.admin('GET', 'keys'));
    say(await client.admin('GET', 'tokens'));
    say(await client.get('/metrics'));
    // Lost connections are logged with their errors.
    await node.service.foundation.database.db.executeQuery(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice' AND pid <> pg_backend_pid()`.compile(
        node.service.foundation.database.db,
      ),
    );
    await sleep(300);
    const hidden = [
      ...secrets,
      ...secrets.map((text) => text.split('_')[2] ?? text),
      password,
      subject,
    ];
    const inAnswers = answers.join('\n');
    // Whom a caller asked about, it may be told.
    for (const secret of hidden.filter((one) => one !== subject)) {
      expect(inAnswers.includes(secret), secret).toBe(false);
    }
    const places = {
      log: node.log(),
      PostgreSQL: await dumpPostgres((table) => !namesSubjects.test(table)),
      Redis: await dumpRedis(),
    };
    expect(places.log.length).toBeGreaterThan(1000);
    expect(places.PostgreSQL).toContain(tenant.id);
    expect(places.Redis.length).toBeGreaterThan(100);
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...hidden, attribute]) {
        expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
      }
    }
    const named = await dumpPostgres((table) => namesSubjects.test(table));
    for (const secret of [...secrets, password]) expect(named.includes(secret)).toBe(false);
  });

  async function dumpPostgres(isMeant: (table: string) => boolean): Promise<string> {
    const { db } = node.service.foundation.database;
    const tables = await db.introspection.getTables();
    const meant = tables.filter(({ name }) => isMeant(name));
    const texts = await Promise.all(
      meant.map(async ({ name }) => {
        const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(db);
        return JSON.stringify(rows);
      }),
    );
    return texts.join('\n');
  }

  async function dumpRedis(): Promise<string> {
    const client = openRedis(redis.url);
    const names = await client.keys('*');
    const values = await Promise.all(
      names.map(async (name) => {
        const kind = await client.type(name);
        if (kind === 'string') return client.get(name);
        if (kind === 'hash') return JSON.stringify(await client.hgetall(name));
        return JSON.stringify(await client.zrange(name, '0', '-1'));
      }),
    );
    client.disconnect();
    return [...names, ...values].join('\n');
  }
});
