import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

const searches = {
  name: 'searches',
  algorithm: 'sliding_window_counter',
  limit: 100,
  window_seconds: 60,
  per: ['tenant'],
  resources: ['POST:/search'],
};
const exports = { ...searches, name: 'exports', resources: ['POST:/export'] };
const slots = {
  name: 'slots',
  algorithm: 'concurrency',
  max_concurrent: 3,
  stale_after_seconds: 30,
  mode: 'shadow',
};

async function makeTenant(limits: readonly object[] = [searches]) {
  const name = `tenant-${randomUUID().slice(0, 8)}`;
  return { ...(await stage.api.makeTenant({ name, limits })), name };
}

describe('a policy', () => {
  it('is made, checked while it is written, and says what calls cost; then it is changed', async () => {
    const tenant = await makeTenant();
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/policies/new');
    await page.getByRole('heading', { name: 'New policy', level: 1 }).waitFor();
    await page.getByLabel('For', { exact: true }).selectOption('One tenant');
    await page.getByRole('combobox', { name: 'Tenant' }).selectOption(tenant.id);
    await page.getByLabel('Resource pattern').fill('POST:/search');
    await page.getByLabel('Cost optional').fill('50');
    await page.getByLabel('Most a call may name').fill('5');
    await page.getByText('must not be below cost').waitFor();
    await page.getByLabel('Most a call may name').fill('500');
    await page.getByText('must not be below cost').waitFor({ state: 'detached' });
    await page.getByLabel('Costs in further units').fill('elements = many');
    await page.getByText(/elements: must be/).waitFor();
    await page.getByLabel('Costs in further units').fill('elements = 7');
    await page.getByRole('button', { name: 'Remove requests' }).click();
    await page.getByRole('button', { name: 'Make policy' }).click();
    await page.getByRole('heading', { name: 'POST:/search', level: 1 }).waitFor();
    const check = { resource: 'POST:/search', subject: 'a' };
    const first = await stage.api.check(tenant.key, check);
    expect(first.body).toMatchObject({ cost: 50, costs: { elements: 7 }, remaining: 50 });

    await page.getByLabel('Cost optional').fill('');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('The policy for POST:/search is saved.').waitFor();
    const second = await stage.api.check(tenant.key, check);
    expect(second.body).toMatchObject({ cost: 1, costs: { elements: 7 } });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete policy' }).click();
    await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
    const { items } = await stage.api.change('GET', `policies?tenant_id=${tenant.id}`);
    expect(items).toEqual([]);
  });

  it('for all tenants may count them together, and one of a tenant may not', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/policies/new');
    await page.getByRole('heading', { name: 'New policy', level: 1 }).waitFor();
    const together = page.getByLabel('All tenants together');
    await page.getByLabel('Tenant', { exact: true }).uncheck();
    await together.check();
    await page.getByText(/for all tenants together/).waitFor();
    await page.getByLabel('Subject').check();
    await page.getByText(/subject does not go with global/).waitFor();
    await checkAccess(visitor);
    await page.getByLabel('For', { exact: true }).selectOption('One tenant');
    expect(await together.count()).toBe(0);
  });
});

describe('explaining a check', () => {
  async function explained() {
    const tenant = await makeTenant([searches, exports, slots]);
    const { id: policyId } = await stage.api.change('POST', 'policies', {
      tenant_id: tenant.id,
      resource: 'POST:/search',
      cost: 4,
    });
    await stage.api.change('POST', 'overrides', {
      tenant_id: tenant.id,
      limit: 'searches',
      numbers: { limit: 250 },
      ttl_seconds: 3600,
      reason: 'test',
    });
    return { tenant, policyId };
  }

  it('shows which limits apply with which numbers and why, and what does not', async () => {
    const { tenant } = await explained();
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/policies');
    await page.getByRole('link', { name: 'Explain a check' }).click();
    await page.getByRole('heading', { name: 'Explain a check', level: 1 }).waitFor();
    await page.getByRole('combobox', { name: 'Tenant' }).selectOption(tenant.id);
    await page.getByLabel('Resource').fill('POST:/search');
    await page.getByLabel('Subject').fill('user:42');
    await page.getByRole('button', { name: 'Explain' }).click();
    const answer = page.getByRole('region', { name: 'Explanation' });
    await answer.getByRole('heading', { name: '2 limits apply' }).waitFor();
    await answer.getByText('the policy for POST:/search says so').waitFor();
    await answer.getByText('the tenant is on it').waitFor();
    const first = answer.getByRole('article', { name: 'Limit searches' });
    await first.getByText('takes 4 of 250 requests').waitFor();
    expect(await first.locator('del').textContent()).toBe('100');
    await first.getByText('by the override of this limit').waitFor();
    const second = answer.getByRole('article', { name: 'Limit slots' });
    await second.getByText('because the limit says so').waitFor();
    await second.getByText(/nobody there says when a call has ended/).waitFor();
    await answer.getByText('it is for POST:/export').waitFor();
    await answer.getByRole('link', { name: 'POST:/search' }).click();
    await page.getByRole('heading', { name: 'POST:/search', level: 1 }).waitFor();
  });

  it('says at the field what the question lacks', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/policies/explain');
    await page.getByRole('heading', { name: 'Explain a check', level: 1 }).waitFor();
    await page.getByLabel('Subject').fill('user:42');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('is needed: name a tenant').waitFor();
    await page.getByRole('combobox', { name: 'Tenant' }).and(page.locator(':focus')).waitFor();
  });

  it('is there for a tenant’s own calls; its policies it can only read', async () => {
    const { tenant, policyId } = await explained();
    const made = await stage.api.change('POST', 'tokens', {
      name: 'customer',
      role: 'operator',
      tenant_id: tenant.id,
    });
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(made.token);
    await visitor.open('/policies');
    await page.getByRole('table', { name: 'Policies' }).waitFor();
    await checkAccess(visitor);
    expect(await page.getByRole('link', { name: 'New policy' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Delete/ }).count()).toBe(0);
    await visitor.open(`/policies/${policyId}`);
    await page.getByRole('heading', { name: 'What a call costs' }).waitFor();
    expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0);
    await visitor.open('/policies/explain');
    await page.getByRole('heading', { name: 'Explain a check', level: 1 }).waitFor();
    await page.getByLabel('Resource').fill('POST:/export');
    await page.getByLabel('Subject').fill('user:42');
    expect(await page.getByRole('combobox', { name: 'Tenant' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Limit exports' }).waitFor();
    await checkAccess(visitor);
  });
});
