import { beforeAll, describe, expect, it } from 'vitest';
import type { MadeTenant } from '../platform/rig/client.ts';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

const teams = {
  engineering: { limit: 600, users: { ann: { limit: 300 } } },
  support: { limit: 300, users: {} },
};

/** A thousand a month for two teams, of which ann has used forty. */
async function makeQuota(name: string): Promise<MadeTenant> {
  const tenant = await stage.api.makeTenant({ name });
  await stage.api.change('PUT', `quotas/${tenant.id}`, { limit: 1000, teams });
  const attributes = { team: 'engineering', user: 'ann' };
  await stage.api.check(tenant.key, { resource: 'GET:/a', subject: 'ann', cost: 40, attributes });
  return tenant;
}

async function tokenFor(tenantId: string | null, role: string): Promise<string> {
  const fields = { name: `${role} for quotas`, role, tenant_id: tenantId };
  return (await stage.api.change('POST', 'tokens', fields)).token;
}

describe('quotas', () => {
  let shared: MadeTenant;
  beforeAll(async () => {
    shared = await makeQuota('Quota readers');
  });

  it('are edited in place, and what does not fit is seen before it is saved', async () => {
    const { id } = await makeQuota('Quota editors');
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/quotas/${id}`);
    await page.getByText('40 of 300 requests used · 260 left').waitFor();
    await page.getByText('900 allocated to teams · 100 to give').waitFor();
    const save = page.getByRole('button', { name: 'Save quota' });
    await page.getByLabel('Limit of support').fill('450');
    await page.getByText('The organisation promises 50 more than it has.').waitFor();
    await page.getByText('1,050 allocated to teams · 50 more than there is').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Promise parts more than the whole has').check();
    expect(await save.isEnabled()).toBe(true);
    await page.getByLabel('Promise parts more than the whole has').uncheck();
    await page.getByLabel('Limit of support').fill('400');
    await page.getByLabel('Limit of ann').fill('30');
    await page.getByText('Below what is used: nothing is left').waitFor();
    await page.getByLabel('Limit of ann').fill('350');
    await page.getByRole('button', { name: 'Add user to engineering' }).click();
    await page.getByLabel('Name of new user').fill('bob');
    await page.getByText('must be a whole number from 1 on').waitFor();
    await page.getByLabel('Limit of bob').fill('200');
    await page.getByLabel('Name of support').fill('care');
    await save.click();
    await page.getByText('Quota saved. It counts from the next check on.').waitFor();
    await save.waitFor({ state: 'detached' });
    const { body } = await stage.api.admin('GET', `quotas/${id}`);
    expect(body).toMatchObject({
      limit: 1000,
      overcommit: false,
      teams: {
        engineering: { limit: 600, users: { ann: { limit: 350, used: 40 }, bob: { limit: 200 } } },
        care: { limit: 400, users: {} },
      },
    });
    await page.getByLabel('Limit of care').fill('100');
    await stage.api.change('PATCH', `quotas/${id}`, { limit: 5000 });
    await save.click();
    await page.getByText('Somebody else changed this meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('40 of 5,000 requests used').waitFor();
  });

  it('are made, topped up with a reason, and deleted', async () => {
    const { id } = await stage.api.makeTenant({ name: 'Quota beginners' });
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/quotas');
    await page.getByRole('button', { name: 'New quota' }).click();
    await page.getByLabel('Tenant').selectOption({ label: 'Quota beginners' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Set a quota' }).click();
    await page.getByLabel('Limit of Organisation').fill('500');
    await page.getByLabel('Period').selectOption('day');
    await page.getByRole('button', { name: 'Save quota' }).click();
    await page.getByText('0 of 500 requests used').waitFor();
    await page.getByRole('button', { name: 'Top up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many requests more').fill('250');
    await dialog.getByRole('button', { name: 'Top up' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await dialog.getByLabel('Reason').fill('launch day');
    await dialog.getByRole('button', { name: 'Top up' }).click();
    await page.getByText('0 of 750 requests used').waitFor();
    await page.getByRole('cell', { name: 'launch day' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete quota' }).click();
    await page.getByText('No quota', { exact: true }).waitFor();
    expect((await stage.api.admin('GET', `quotas/${id}`)).status).toBe(404);
  });

  it('are of the tenant that was chosen, whoever else has its name', async () => {
    const name = 'Quota twins';
    const twins = [await stage.api.makeTenant({ name }), await stage.api.makeTenant({ name })];
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    for (const { id } of twins) {
      await visitor.open('/quotas');
      await page.getByRole('button', { name: 'New quota' }).click();
      const label = `${name} (…${id.slice(-8)})`;
      await page.getByLabel('Tenant').selectOption({ label });
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Set a quota' }).waitFor();
      expect(new URL(page.url()).hash).toBe(`#/quotas/${id}`);
    }
  });

  it('of a tenant are its own to deal out, not to raise', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(await tokenFor(shared.id, 'operator'));
    await visitor.open('/quotas');
    await page.getByText('40 of 300 requests used').waitFor();
    expect(await page.getByLabel('Limit of Organisation').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Top up' }).count()).toBe(0);
    await page.getByLabel('Limit of support').fill('350');
    await page.getByRole('button', { name: 'Save quota' }).click();
    await page.getByText('Quota saved.').waitFor();
  });

  it('are read by a viewer, who can change nothing, with nothing out of reach', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(await tokenFor(null, 'viewer'));
    await visitor.open('/quotas');
    const link = page.getByRole('link', { name: 'Quota readers' });
    await link.waitFor();
    expect(await page.getByRole('button', { name: 'New quota' }).count()).toBe(0);
    await checkAccess(visitor);
    await link.click();
    await page.getByText('40 of 300 requests used').waitFor();
    expect(await page.locator('main input').count()).toBe(0);
  });

  it('as they are edited are within reach too, on a phone as well', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/quotas/${shared.id}`);
    await page.getByRole('button', { name: 'Add team' }).click();
    await page.getByLabel('Limit of Organisation').fill('10');
    await page.getByText('The organisation promises').waitFor();
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
  });
});
