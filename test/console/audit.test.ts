import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

describe('the audit', () => {
  it('tells who changed what, and how it was before', async () => {
    const { id, planId } = await stage.api.makeTenant({ name: 'Audit subjects' });
    const window = { name: 'wide', algorithm: 'fixed_window', window_seconds: 60 };
    await stage.api.change('PATCH', `plans/${planId}`, { limits: [{ ...window, limit: 77 }] });
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/audit');
    await page.getByLabel('Tenant').selectOption(id);
    await page.getByLabel('What').selectOption('plans');
    const changes = page.getByRole('list', { name: 'Changes' });
    const change = changes.getByRole('listitem').filter({ hasText: 'changed' });
    await change.getByText('plan own of Audit subjects').waitFor();
    await change.getByText('you · just now').waitFor();
    await change.locator('summary').click();
    const row = change.getByRole('row').filter({ hasText: 'limits[wide].limit' });
    expect(await row.innerText()).toMatch(/limits\[wide\]\.limit\s+1000000\s+77/);
    await page.getByLabel('Object').fill('no such thing');
    await page.getByText('No change like this').waitFor();
  });

  it('comes page by page, of the days that are asked for', async () => {
    const { id } = await stage.api.makeTenant({ name: 'Audit crowd', limits: [] });
    const change = (_: unknown, at: number) =>
      stage.api.change('PATCH', `tenants/${id}`, { tier: `tier-${at}` });
    await Promise.all(Array.from({ length: 55 }, change));
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/audit');
    await page.getByLabel('Tenant').selectOption(id);
    await page.getByLabel('What').selectOption('tenants');
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Show more' }).click();
    await entries.filter({ hasText: 'created' }).waitFor();
    expect(await entries.count()).toBe(56);
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No change like this').waitFor();
  });

  it('of a tenant is for its own token, with nothing out of reach', async () => {
    const { id } = await stage.api.makeTenant({ name: 'Audit readers' });
    const fields = { name: 'auditor', role: 'viewer', tenant_id: id };
    const { token } = await stage.api.change('POST', 'tokens', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(token);
    await visitor.open('/audit');
    const made = page.getByRole('listitem').filter({ hasText: 'plan own' });
    await made.first().locator('summary').click();
    await page.getByRole('table', { name: 'What differs' }).waitFor();
    expect(await page.getByLabel('Tenant').count()).toBe(0);
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
  });
});
