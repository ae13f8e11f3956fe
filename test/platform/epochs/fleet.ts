import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../platform/src/config.ts';
import { startService, type Service } from '../../../platform/src/service/index.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { freshDatabase } from '../../support/databases.ts';

export type Fleet = {
  readonly nodes: readonly Service[];
  readonly databaseUrl: string;
  /** Asks any node's admin API; throws what is not a success. */
  admin<T>(method: string, path: string, body?: unknown): Promise<T>;
  check(node: Service, key: string, subject?: string): Promise<Checked>;
  /** One key at every node. */
  checkEverywhere(key: string): Promise<Checked[]>;
  stop(): Promise<void>;
};

export type Checked = {
  readonly status: number;
  readonly limit: number | null;
  readonly basis: string | null;
};

const adminToken = `token-${randomUUID()}`;

/** Nodes that share a Redis and a database, and nothing else. */
export async function startFleet(options: {
  readonly count: number;
  readonly redisUrl: string;
  readonly postgresUrl: string;
}): Promise<Fleet> {
  const { url: databaseUrl, drop } = await freshDatabase(options.postgresUrl);
  const folder = await createTemporaryFolder('fleet');
  const config = readConfig({
    SLUICE_HTTP_ADDR: '127.0.0.1:0',
    SLUICE_GRPC_ADDR: 'off',
    SLUICE_DATA_DIR: folder,
    SLUICE_DATABASE_URL: databaseUrl,
    SLUICE_DATABASE_POOL: '4',
    SLUICE_REDIS_URL: options.redisUrl,
    SLUICE_ADMIN_TOKEN: adminToken,
    SLUICE_DEMO: 'off',
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_DRAIN_SECONDS: '0',
    // Many nodes share two processors here: what is tested is what they answer, not how fast.
    SLUICE_STORE_DEADLINE_MS: '5000',
    // Who is refused here is refused for its key.
    SLUICE_SHED_DELAY_MS: '60000',
  });
  const nodes: Service[] = [];
  while (nodes.length < options.count) nodes.push(await startService(config, { version: 'test' }));
  let turn = 0;
  const next = () => nodes[(turn += 1) % nodes.length] as Service;

  const check = async ({ url }: Service, key: string, subject = 'user:1'): Promise<Checked> => {
    const answer = await fetch(`${url}/v1/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ resource: 'GET:/orders', subject }),
    });
    const body = (await answer.json()) as { limit?: number; basis?: string };
    return { status: answer.status, limit: body.limit ?? null, basis: body.basis ?? null };
  };

  return {
    nodes,
    databaseUrl,
    check,
    checkEverywhere: (key) => Promise.all(nodes.map((node) => check(node, key))),
    admin: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await fetch(`${next().url}/v1/admin/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as T;
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await drop();
      await removeFolder(folder);
    },
  };
}

export type Tenant = { readonly id: string; readonly keys: readonly Key[] };
export type Key = { readonly id: string; readonly text: string };

/** A tenant on a plan of its own, with keys. */
export async function makeTenant(fleet: Fleet, keyCount: number): Promise<Tenant> {
  const { id } = await fleet.admin<{ id: string }>('POST', 'tenants', { name: 'acme' });
  const plan = await fleet.admin<{ id: string }>('POST', 'plans', {
    tenant_id: id,
    name: 'own',
    limits: [{ name: 'burst', algorithm: 'fixed_window', limit: 1_000_000, window_seconds: 3600 }],
  });
  await fleet.admin('PATCH', `tenants/${id}`, { plan_id: plan.id });
  const keys: Key[] = [];
  for (let made = 0; made < keyCount; made += 1) {
    const key = await fleet.admin<{ id: string; key: string }>('POST', 'keys', {
      tenant_id: id,
      name: `key ${made}`,
    });
    keys.push({ id: key.id, text: key.key });
  }
  return { id, keys };
}

/** Checks with these keys at all nodes, again and again, until stopped. */
export function startLoad(fleet: Fleet, keys: readonly Key[]) {
  const sent: (Checked & { readonly key: string; readonly sentAtMs: number })[] = [];
  const over = new AbortController();
  const workers = fleet.nodes.map(async (node, at) => {
    for (let turn = at * 7; !over.signal.aborted; turn += 1) {
      const { text } = keys[turn % keys.length] as Key;
      const sentAtMs = performance.now();
      sent.push({ ...(await fleet.check(node, text)), key: text, sentAtMs });
      // Enough to keep every node busy with them, and not all of the machine.
      await sleep(5);
    }
  });
  return {
    sent,
    stop: async () => {
      over.abort();
      await Promise.all(workers);
    },
  };
}
