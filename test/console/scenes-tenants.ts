import type { Page } from 'playwright-core';
import { NodeClient } from '../platform/rig/client.ts';
import { searchTenant } from './rig/history.ts';
import type { Stage } from './rig/stage.ts';
import type { Scene } from './scenes.ts';

/** Pictures of tenants: of a company that searches, and of some others. */
export const tenantScenes: readonly Scene[] = [
  { name: 'tenants', path: '/playground', play: (page, stage) => show(page, stage, '/tenants') },
  { name: 'tenant', path: '/playground', height: 1000, play: showTab('overview') },
  { name: 'tenant-usage', path: '/playground', height: 900, play: showUsage },
  { name: 'tenant-resources', path: '/playground', height: 900, play: showResources },
  { name: 'tenant-keys', path: '/playground', height: 720, play: showTab('keys') },
  { name: 'tenant-overrides', path: '/playground', height: 720, play: showTab('overrides') },
  { name: 'override-edit', path: '/playground', height: 860, play: showOverride },
  { name: 'tenant-phone', path: '/playground', width: 390, height: 844, play: showTab('overview') },
  { name: 'tenant-usage-phone', path: '/playground', width: 390, height: 844, play: showUsage },
  { name: 'account', path: '/sign-in', signedIn: false, height: 1000, play: showAccount },
  { name: 'key-secret', path: '/playground', height: 720, play: showSecret },
];

type Made = { readonly id: string; readonly token: string };
let made: Promise<Made> | undefined;

/** Once for all pictures. */
function company(stage: Stage): Promise<Made> {
  made ??= furnish(new NodeClient(stage.url, stage.adminToken));
  return made;
}

const plans = {
  free: [{ name: 'per-minute', algorithm: 'fixed_window', limit: 60, window_seconds: 60 }],
  business: [
    {
      name: 'burst',
      algorithm: 'token_bucket',
      bucket_capacity: 100,
      refill_rate_per_sec: 25,
      per: ['tenant', 'subject'],
    },
    {
      name: 'search-per-minute',
      algorithm: 'sliding_window_counter',
      limit: 100,
      window_seconds: 60,
      per: ['tenant'],
    },
    {
      name: 'exports-at-once',
      algorithm: 'concurrency',
      max_concurrent: 4,
      resources: ['POST:/export'],
      stale_after_seconds: 60,
      per: ['tenant'],
    },
    {
      name: 'tokens-per-day',
      algorithm: 'quota',
      limit: 500,
      period: 'day',
      per: ['tenant'],
      mode: 'shadow',
    },
  ],
  enterprise: [
    { name: 'burst', algorithm: 'token_bucket', bucket_capacity: 1000, refill_rate_per_sec: 200 },
  ],
};

const neighbours = [
  {
    name: 'Northwind Traders',
    tier: 'enterprise',
    timezone: 'America/Chicago',
    billing_anchor_day: 15,
  },
  { name: 'Globex', tier: 'business', timezone: 'Europe/Zurich' },
  { name: 'Initech', tier: 'free', status: 'suspended' },
  { name: 'Umbra Analytics', tier: 'business', timezone: 'Asia/Tokyo' },
  { name: 'Hooli Labs', tier: 'free', timezone: 'America/Los_Angeles' },
];

async function furnish(api: NodeClient): Promise<Made> {
  // Other pictures may have made a plan of that name.
  for (const [name, limits] of Object.entries(plans))
    await api.admin('POST', 'plans', { name, limits });
  for (const fields of neighbours) await api.change('POST', 'tenants', fields);
  const id = await idOf(api, searchTenant);
  const plan = await api.change('POST', 'plans', {
    tenant_id: id,
    name: 'search',
    limits: plans.business,
  });
  await api.change('PATCH', `tenants/${id}`, { plan_id: plan.id });
  await api.change('PUT', `quotas/${id}`, { limit: 1000, period: 'month' });
  const key = await furnishKeys(api, id);
  await furnishOverrides(api, id);
  const checks = Array.from({ length: 140 }, (_, at) => ({
    resource: 'POST:/search',
    subject: `user:${at % 7}`,
  }));
  await api.checks(key, checks);
  const { token } = await api.change('POST', 'tokens', {
    name: 'Ops at Acme',
    role: 'operator',
    tenant_id: id,
  });
  return { id, token };
}

/** It was there before the pictures, and has a past. */
async function idOf(api: NodeClient, name: string): Promise<string> {
  const path = `tenants?name_prefix=${encodeURIComponent(name)}`;
  const { items } = await api.change('GET', path);
  const [first] = items as readonly { readonly id: string }[];
  if (!first) throw new Error(`There is no tenant ${name}.`);
  return first.id;
}

async function furnishKeys(api: NodeClient, tenantId: string): Promise<string> {
  const own = { tenant_id: tenantId };
  const soon = new Date(Date.now() + 12 * 86_400_000).toISOString();
  const { key } = await api.change('POST', 'keys', { ...own, name: 'search, production' });
  await api.change('POST', 'keys', { ...own, name: 'search, staging', expires_at: soon });
  await api.change('POST', 'keys', { ...own, name: 'billing export', scopes: ['usage'] });
  const all = ['check', 'settle', 'usage', 'plan:select', 'refund'];
  await api.change('POST', 'keys', { ...own, name: 'gateway', scopes: all });
  return key;
}

async function furnishOverrides(api: NodeClient, tenantId: string): Promise<void> {
  const make = (fields: object) =>
    api.change('POST', 'overrides', { tenant_id: tenantId, ...fields });
  await make({
    limit: 'search-per-minute',
    numbers: { limit: 130 },
    ttl_seconds: 200_000,
    reason: 'Launch week, agreed with sales',
  });
  await make({
    limit: 'burst',
    subject: 'user:42',
    numbers: { bucket_capacity: 10 },
    ttl_seconds: 2_700,
    reason: 'Runs a script in a loop; until they have mended it',
  });
  await make({
    limit: 'exports-at-once',
    attributes: { region: 'eu' },
    numbers: { max_concurrent: 8 },
    starts_at: new Date(Date.now() + 40 * 3_600_000).toISOString(),
    reason: 'Second export cluster from Thursday on',
  });
  await make({
    limit: 'burst',
    resource: 'GET:/health',
    numbers: { bucket_capacity: 500, refill_rate_per_sec: 100 },
    reason: 'Probes of their load balancer',
  });
}

function showTab(tab: string) {
  return async (page: Page, stage: Stage) => {
    const { id } = await company(stage);
    await show(page, stage, `/tenants/${id}/${tab}`);
  };
}

async function show(page: Page, stage: Stage, path: string): Promise<void> {
  await company(stage);
  await page.goto(`${stage.url}/#${path}`);
  await page.getByRole('table').first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function showAccount(page: Page, stage: Stage): Promise<void> {
  const { token } = await company(stage);
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('table').waitFor();
  await page.waitForLoadState('networkidle');
}

async function showSecret(page: Page, stage: Stage): Promise<void> {
  await showTab('keys')(page, stage);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('checkout, production');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByText('Copy it now').waitFor();
}

async function showOverride(page: Page, stage: Stage): Promise<void> {
  await showTab('overrides')(page, stage);
  await page.getByRole('button', { name: 'Edit the override of search-per-minute' }).click();
  await page.getByText('100 unless said otherwise').waitFor();
}

async function showUsage(page: Page, stage: Stage): Promise<void> {
  const { id } = await company(stage);
  await page.goto(`${stage.url}/#/tenants/${id}/usage`);
  const loaded = page.waitForResponse((answer) => answer.url().includes('step=hour'));
  await page.getByLabel('Time', { exact: true }).selectOption('week');
  await loaded;
  await page.getByRole('img', { name: /calls/ }).waitFor();
  await page.waitForLoadState('networkidle');
}

async function showResources(page: Page, stage: Stage): Promise<void> {
  await showUsage(page, stage);
  await page.getByLabel('Split by').selectOption('resource');
  await page.getByRole('table', { name: 'What each resource was asked for' }).waitFor();
  await page.waitForLoadState('networkidle');
}
