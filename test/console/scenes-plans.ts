import type { Page } from 'playwright-core';
import { NodeClient } from '../platform/rig/client.ts';
import type { Stage } from './rig/stage.ts';
import type { Scene } from './scenes.ts';

const plan = {
  name: 'search-api',
  limits: [
    {
      name: 'burst',
      algorithm: 'token_bucket',
      bucket_capacity: 40,
      refill_rate_per_sec: 8,
      per: ['tenant', 'subject'],
    },
    {
      name: 'searches',
      algorithm: 'sliding_window_counter',
      limit: 600,
      window_seconds: 60,
      per: ['tenant'],
      resources: ['POST:/search', 'POST:/search/*'],
    },
    {
      name: 'logins',
      algorithm: 'fixed_window',
      limit: 10,
      window_seconds: 60,
      per: ['attributes.ip'],
      security: true,
      block_for_seconds: 120,
      block_growth: 2,
    },
    { name: 'tokens', algorithm: 'quota', limit: 5_000_000, period: 'month', unit: 'tokens' },
  ],
};

const policy = {
  resource: 'POST:/search',
  cost: 1,
  costs: { elements: 50 },
  max_cost: 500,
  limits: [
    {
      name: 'heavy-searches',
      algorithm: 'concurrency',
      max_concurrent: 8,
      stale_after_seconds: 30,
      per: ['tenant'],
    },
  ],
};

/** Once for all pictures: the themes are two visits to one service. */
async function seed({ url, adminToken }: Stage) {
  const api = new NodeClient(url, adminToken);
  const { items } = await api.change('GET', 'tenants?name_prefix=Fabrikam');
  const [found] = items as { readonly id: string; readonly plan_id: string }[];
  if (found) return { api, tenantId: found.id, planId: found.plan_id };
  const tenant = await api.change('POST', 'tenants', { name: 'Fabrikam', tier: 'business' });
  const made = await api.change('POST', 'plans', { ...plan, tenant_id: tenant.id });
  await api.change('PATCH', `tenants/${tenant.id}`, { plan_id: made.id });
  await api.change('POST', 'policies', { ...policy, tenant_id: tenant.id });
  const expires = new Date(Date.now() + 7 * 86_400_000).toISOString();
  await api.change('POST', 'overrides', {
    tenant_id: tenant.id,
    limit: 'searches',
    numbers: { limit: 1200 },
    expires_at: expires,
    reason: 'launch week',
  });
  await api.published();
  return { api, tenantId: tenant.id, planId: made.id };
}

async function openPlan(page: Page, stage: Stage): Promise<void> {
  const { planId } = await seed(stage);
  await page.goto(`${stage.url}/#/plans/${planId}`);
  await page.getByRole('button', { name: 'Save plan' }).waitFor();
  await page.getByRole('tab', { name: /used up/ }).click();
  await page.evaluate('scrollTo(0, 0)');
}

async function openList(page: Page, stage: Stage, path: string): Promise<void> {
  await seed(stage);
  await page.reload();
  await page.goto(`${stage.url}/#${path}`);
  await page.getByRole('cell', { name: 'Fabrikam' }).first().waitFor();
}

async function openPolicy(page: Page, stage: Stage): Promise<void> {
  const { api, tenantId } = await seed(stage);
  const { items } = await api.change('GET', `policies?tenant_id=${tenantId}`);
  const [{ id }] = items as [{ readonly id: string }];
  await page.goto(`${stage.url}/#/policies/${id}`);
  await page.getByRole('button', { name: 'Save policy' }).waitFor();
}

async function explain(page: Page, stage: Stage): Promise<void> {
  await seed(stage);
  await page.getByRole('heading', { name: 'Explain a check', level: 1 }).waitFor();
  await page.getByLabel('Tenant').selectOption({ label: 'Fabrikam' });
  await page.getByLabel('Resource').fill('POST:/search');
  await page.getByLabel('Subject').fill('user:42');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('heading', { name: 'limits apply' }).waitFor();
}

async function writeNew(page: Page, stage: Stage): Promise<void> {
  await seed(stage);
  await page.getByRole('radio', { name: 'starter' }).check();
  await page.getByRole('button', { name: /^user-requests/ }).click();
  await page.evaluate('scrollTo(0, 0)');
}

const phone = { width: 390, height: 844 };

export const planScenes: readonly Scene[] = [
  { name: 'plans', path: '/plans', play: (page, stage) => openList(page, stage, '/plans') },
  { name: 'plan', path: '/plans', height: 1240, play: openPlan },
  { name: 'plan-phone', path: '/plans', ...phone, play: openPlan },
  { name: 'plan-new', path: '/plans/new', height: 1240, play: writeNew },
  {
    name: 'policies',
    path: '/policies',
    play: (page, stage) => openList(page, stage, '/policies'),
  },
  { name: 'policy', path: '/policies', height: 1240, play: openPolicy },
  { name: 'explain', path: '/policies/explain', height: 1500, play: explain },
  { name: 'explain-phone', path: '/policies/explain', ...phone, play: explain },
];
