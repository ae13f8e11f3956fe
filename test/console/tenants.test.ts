import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { statusOfForced } from './rig/forced.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();

const tight = { name: 'tight', algorithm: 'fixed_window', limit: 3, window_seconds: 3600 };
const ask = { resource: 'GET:/things', subject: 'user:1' };

function nameOf(what: string): string {
  return `${what} ${randomUUID().slice(0, 8)}`;
}

async function signedInAt(path: string): Promise<Visitor> {
  const visitor = await stage.visit();
  await visitor.signIn();
  await visitor.open(path);
  return visitor;
}

describe('tenants', () => {
  it('are made, found, changed, and deleted once their name is typed', async () => {
    const { page } = await signedInAt('/tenants');
    const name = nameOf('Made here');
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('dialog').getByLabel('Tier', { exact: true }).fill('starter');
    await page.getByLabel('Time zone').fill('Europe/Nowhere');
    await page.getByLabel('Billing anchor day').fill('15');
    await page.getByRole('button', { name: 'Make tenant' }).click();
    const zone = page.getByLabel('Time zone').and(page.locator('[aria-invalid="true"]:focus'));
    await zone.fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Make tenant' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('day 15 of the month').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Tier', { exact: true }).fill('enterprise');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'enterprise' }).first().waitFor();

    await page.getByRole('link', { name: 'Tenants' }).first().click();
    await page.getByLabel('Name starts with').fill(name);
    await page.getByLabel('Tier').selectOption('enterprise');
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await page.getByRole('link', { name }).click();

    await page.getByRole('button', { name: 'Delete…' }).click();
    const confirm = page.getByRole('button', { name: 'Delete tenant' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await confirm.click();
    await page.getByText(`${name} is deleted.`).waitFor();
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor();
    await page.getByLabel('Name starts with').fill(name);
    await page.getByText('No tenant matches').waitFor();
  });

  it('are shown page by page', async () => {
    const prefix = nameOf('Many');
    const made = Array.from({ length: 51 }, (_, at) => ({ name: `${prefix} ${at}` }));
    await Promise.all(made.map((fields) => stage.api.change('POST', 'tenants', fields)));
    const { page } = await signedInAt('/tenants');
    await page.getByLabel('Name starts with').fill(prefix);
    const rows = page.getByRole('link', { name: prefix });
    await rows.nth(49).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(50).waitFor();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('are suspended and resumed, and their callers notice', async () => {
    const { id, key } = await stage.api.makeTenant();
    const { page } = await signedInAt(`/tenants/${id}`);
    await page.getByRole('button', { name: 'Suspend…' }).click();
    await page.getByRole('button', { name: 'Suspend tenant' }).click();
    await page.getByText('every check of this tenant is refused').waitFor();
    expect((await stage.api.check(key, ask)).status).toBe(403);
    await page.getByRole('button', { name: 'Resume…' }).click();
    await page.getByRole('button', { name: 'Resume tenant' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    expect((await stage.api.check(key, ask)).status).toBe(200);
  });

  it('say so when somebody else was quicker, and take the change once it is repeated', async () => {
    const { id } = await stage.api.makeTenant({ tier: 'free' });
    const { page } = await signedInAt(`/tenants/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await stage.api.change('PATCH', `tenants/${id}`, { timezone: 'Asia/Tokyo' });
    await page.getByLabel('Billing anchor day').fill('9');
    const reloaded = page.waitForResponse(
      (answer) => answer.request().method() === 'GET' && answer.url().endsWith(`/tenants/${id}`),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed this meanwhile').waitFor();
    await reloaded;
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'day 9' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'Asia/Tokyo' }).waitFor();
  });
});

describe("a tenant's limits", () => {
  it('show what somebody has used, and start afresh', async () => {
    const { id, key } = await stage.api.makeTenant({ limits: [tight] });
    await stage.api.check(key, ask);
    await stage.api.check(key, ask);
    const { page } = await signedInAt(`/tenants/${id}`);
    await page.getByText('3 requests; say whose').waitFor();
    await page.getByLabel('Resource').fill(ask.resource);
    await page.getByLabel('Subject').fill(ask.subject);
    await page.getByRole('button', { name: 'Look' }).click();
    await page.getByText('2 of 3 requests').waitFor();
    await page.getByRole('meter', { name: 'tight used' }).waitFor();
    await page.getByRole('button', { name: 'Reset tight' }).click();
    await page.getByRole('button', { name: 'Reset counter' }).click();
    await page.getByText('0 of 3 requests').waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(2);
  });

  it('have other numbers for a while, until the override is deleted', async () => {
    const { id, key } = await stage.api.makeTenant({ limits: [tight] });
    const { page } = await signedInAt(`/tenants/${id}/overrides`);
    await page.getByRole('button', { name: 'New override' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many').fill('10');
    await dialog.getByLabel('Subject').fill(ask.subject);
    await page.getByLabel('Ends').selectOption('hour');
    const make = page.getByRole('button', { name: 'Make override' });
    await make.click();
    await page.getByLabel('Why').and(page.locator('[aria-invalid="true"]:focus')).fill('A launch');
    await page.getByLabel('Attributes').fill('region');
    await make.click();
    await page.getByText('needs name=value in each line').waitFor();
    await page.getByLabel('Attributes').fill('');
    await make.click();
    const row = page.getByRole('row').filter({ hasText: 'A launch' });
    await row.getByText(/^(1 h|59 min \d+ s)$/).waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(9);

    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete override' }).click();
    // And no other was made of what could not be read.
    await page.getByText('No overrides').waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(1);
  });

  it('lose all overrides that a filter finds, and keep the others', async () => {
    const { id } = await stage.api.makeTenant({ limits: [tight] });
    for (const subject of ['user:1', 'user:2', 'user:2']) {
      const fields = { tenant_id: id, limit: 'tight', numbers: { limit: 9 }, reason: 'test' };
      await stage.api.change('POST', 'overrides', { ...fields, subject });
    }
    const { page } = await signedInAt(`/tenants/${id}/overrides`);
    await page.getByRole('row').nth(3).waitFor();
    await page.getByLabel('Subject').fill('user:2');
    await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete these…' }).click();
    await page.getByText('The filters find 2.').waitFor();
    await page.getByRole('button', { name: 'Delete 2', exact: true }).click();
    await page.getByText('2 deleted.').waitFor();
    const { items } = await stage.api.change('GET', `overrides?tenant_id=${id}`);
    expect(items).toMatchObject([{ subject: 'user:1' }]);
  });

  it('do not matter to who is blocked', async () => {
    const { id, key } = await stage.api.makeTenant();
    const { page } = await signedInAt(`/tenants/${id}/blocks`);
    await page.getByRole('button', { name: 'New block' }).click();
    await page.getByLabel('Who').fill(ask.subject);
    await page.getByLabel('Why').fill('Scrapes');
    await page.getByRole('button', { name: 'Make block' }).click();
    await page.getByRole('row').filter({ hasText: 'Scrapes' }).waitFor();
    expect((await stage.api.check(key, ask)).body.allowed).toBe(false);
    await page.getByRole('button', { name: `Delete ${ask.subject}` }).click();
    await page.getByRole('button', { name: 'Delete block' }).click();
    await page.getByText('Nobody is blocked').waitFor();
    expect((await stage.api.check(key, ask)).body.allowed).toBe(true);
  });
});

describe('a viewer', () => {
  it('reads everything, sees no control that changes anything, and changes nothing by force', async () => {
    const { id, keyId } = await stage.api.makeTenant({ limits: [tight] });
    const { token } = await stage.api.change('POST', 'tokens', { name: 'eyes', role: 'viewer' });
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(token);
    await visitor.open('/tenants');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: 'New tenant' }).count()).toBe(0);
    for (const tab of ['overview', 'usage', 'keys', 'overrides', 'blocks']) {
      await visitor.open(`/tenants/${id}/${tab}`);
      await page.getByRole('tab', { selected: true, name: new RegExp(tab, 'i') }).waitFor();
      await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
      const buttons = await page.getByRole('tabpanel').getByRole('button').allInnerTexts();
      expect(buttons.filter((text) => text !== 'Look')).toEqual([]);
    }
    expect(await statusOfForced(page, 'PATCH', `tenants/${id}`, { name: 'mine' })).toBe(403);
    expect(await statusOfForced(page, 'DELETE', `keys/${keyId}`)).toBe(403);
  });
});

describe('all about a tenant', () => {
  it('is within everybody’s reach', async () => {
    const name = nameOf('Within reach');
    const { id, key } = await stage.api.makeTenant({ name, limits: [tight] });
    await stage.api.checks(
      key,
      Array.from({ length: 5 }, () => ask),
    );
    const fields = { tenant_id: id, limit: 'tight', numbers: { limit: 9 }, reason: 'test' };
    await stage.api.change('POST', 'overrides', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/tenants');
    // Of one row as of fifty, in less time.
    await page.getByLabel('Name starts with').fill(name);
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await checkAccess(visitor);
    for (const tab of ['overview', 'usage']) {
      await visitor.open(`/tenants/${id}/${tab}`);
      await page.getByRole('table').first().waitFor();
      await checkAccess(visitor);
    }
    await visitor.open(`/tenants/${id}/overrides`);
    await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'New override' }).click();
    await checkAccess(visitor);
  });
});
