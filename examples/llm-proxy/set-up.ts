// A tenant of Sluice with a plan for completions and a key for the proxy, made over the admin API.

import { fileURLToPath } from 'node:url';
import { setting } from './settings.ts';

export type Allowances = { readonly perMonth: number; readonly perUserAndDay: number };

export type Tenant = {
  readonly key: string;
  /** Deletes the tenant, and with it its plan, its key and what it counted. */
  remove(): Promise<void>;
};

/** No tokens without count: when the store is away, nothing is generated. */
const closed = { on_store_failure: 'closed' };

function limitsOf({ perMonth, perUserAndDay }: Allowances) {
  const tokens = { algorithm: 'quota', unit: 'tokens', ...closed };
  return [
    { name: 'tokens', ...tokens, limit: perMonth, period: 'month', per: ['tenant'] },
    { name: 'tokens-per-user', ...tokens, limit: perUserAndDay, period: 'day', per: ['subject'] },
    {
      name: 'requests-per-user',
      algorithm: 'sliding_window_counter',
      limit: 100,
      window_seconds: 60,
      per: ['subject'],
      ...closed,
    },
  ];
}

export async function setUp(
  url: string,
  adminToken: string,
  allowances: Allowances,
): Promise<Tenant> {
  const admin = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/v1/admin/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { readonly id: string; readonly key: string };
  };
  const { id } = await admin('POST', 'tenants', { name: 'the LLM proxy example' });
  const ofTenant = { tenant_id: id };
  const limits = limitsOf(allowances);
  const plan = await admin('POST', 'plans', { ...ofTenant, name: 'completions', limits });
  await admin('PATCH', `tenants/${id}`, { plan_id: plan.id });
  const scopes = ['check', 'settle'];
  const { key } = await admin('POST', 'keys', { ...ofTenant, name: 'the proxy', scopes });
  return {
    key,
    remove: async () => {
      await admin('DELETE', `tenants/${id}`);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const url = setting('SERVICE_URL', 'http://127.0.0.1:8080');
  const { key } = await setUp(url, setting('SLUICE_ADMIN_TOKEN'), {
    perMonth: Number(setting('TOKENS_PER_MONTH', '100000')),
    perUserAndDay: Number(setting('TOKENS_PER_USER', '10000')),
  });
  console.log(`SERVICE_KEY=${key}`);
}
