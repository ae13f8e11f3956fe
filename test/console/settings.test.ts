import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

async function openSettings(tab: string, token?: string) {
  const visitor = await stage.visit();
  await visitor.signIn(token);
  await visitor.open('/settings');
  await visitor.page.getByRole('tab', { name: tab }).click();
  return visitor.page;
}

describe('settings', () => {
  it('make a token whose secret is shown once, and revoke it', async () => {
    const name = `robot ${randomUUID()}`;
    const page = await openSettings('Tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make token' }).click();
    await dialog.locator('[name="name"]:focus').waitFor();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByLabel('Expires').fill('2099-01-01T00:00');
    await dialog.getByRole('button', { name: 'Make token' }).click();
    const secret = await dialog.getByRole('figure', { name: 'The token' }).innerText();
    const bearer = { authorization: `Bearer ${secret.split('\n')[0]}` };
    const { body } = await stage.api.get('/v1/admin/me', bearer);
    expect(body).toMatchObject({ name, role: 'operator', expires_at: expect.any(String) });
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(bearer.authorization.slice(7));
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText(`Token ${name} is revoked.`).waitFor();
    expect((await stage.api.get('/v1/admin/me', bearer)).status).toBe(401);
  });

  it('set a mode, change it and remove it', async () => {
    const { id } = await stage.api.makeTenant({ name: 'Mode holders' });
    const page = await openSettings('Modes');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Set a mode' }).click();
    await dialog.getByLabel('For', { exact: true }).selectOption('limit');
    await dialog.getByRole('button', { name: 'Set mode' }).click();
    await dialog.locator('[name="limit"][aria-invalid]').waitFor();
    await dialog.getByLabel('Limit', { exact: true }).fill('wide');
    await dialog.getByLabel('Tenant').selectOption({ label: 'Mode holders' });
    await dialog.getByRole('button', { name: 'Set mode' }).click();
    const row = page.getByRole('row').filter({ hasText: 'limit wide of Mode holders' });
    await row.getByText('shadow').waitFor();
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Mode').selectOption('warn');
    await dialog.getByRole('button', { name: 'Set mode' }).click();
    await row.getByText('warn').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove entry' }).click();
    await row.waitFor({ state: 'detached' });
    const { items } = await stage.api.change('GET', `modes?tenant_id=${id}`);
    expect(items).toEqual([]);
  });

  it('make a pool and change it', async () => {
    const name = `pool-${randomUUID().slice(0, 8)}`;
    const page = await openSettings('Pools');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New pool' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Tiers').fill(`gold-${name}, silver-${name}`);
    await dialog.getByRole('button', { name: 'Save pool' }).click();
    const row = page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
    await row.getByText(`gold-${name}, silver-${name}`).waitFor();
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Connections').fill('24');
    await dialog.getByRole('button', { name: 'Save pool' }).click();
    await row.getByRole('cell', { name: '24', exact: true }).waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Delete pool' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('make a webhook, show its secret once, and delete it', async () => {
    const url = `https://hooks.example.com/${randomUUID()}`;
    const page = await openSettings('Webhooks');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Address').fill('http://127.0.0.1/');
    await dialog.getByRole('button', { name: 'Make webhook' }).click();
    await dialog.getByText('must begin with https://').first().waitFor();
    await dialog.getByLabel('Address').fill(url);
    await dialog.getByRole('button', { name: 'Make webhook' }).click();
    await dialog.getByRole('figure', { name: 'The secret' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: `Deliveries to ${url}` }).click();
    await dialog.getByText('Nothing was sent in the last month').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Delete ${url}` }).click();
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText(url, { exact: true }).waitFor({ state: 'detached' });
  });

  it('show what the service runs on', async () => {
    const page = await openSettings('Service');
    const { body } = await stage.api.get('/v1/health');
    await page.getByText(body.version, { exact: true }).waitFor();
    await page.getByText('in this process’s memory').waitFor();
    await page.getByRole('region', { name: 'Publications' }).first().waitFor();
  });

  it.each([
    ['a viewer', false, ['Modes', 'Webhooks', 'Pools', 'Service']],
    ['a tenant', true, ['Modes', 'Webhooks']],
  ] as const)('show %s only what is theirs to see, and change nothing', async (_, isOwn, tabs) => {
    const { id } = await stage.api.makeTenant({ name: 'Settings readers' });
    const fields = { name: 'reader', role: 'viewer', tenant_id: isOwn ? id : null };
    const { token } = await stage.api.change('POST', 'tokens', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(token);
    await visitor.open('/settings');
    await page.getByRole('tab', { name: 'Modes' }).waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(tabs);
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
      const writes = /^(New|Set|Change|Remove|Delete|Revoke)/;
      expect(await page.getByRole('button', { name: writes }).count()).toBe(0);
    }
  });

  it('have nothing out of reach, and fit a phone', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/settings');
    for (const tab of ['Modes', 'Webhooks', 'Pools', 'Service', 'Tokens']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
    }
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await checkAccess(visitor);
  });
});
