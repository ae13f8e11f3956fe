import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();
const ask = { resource: 'GET:/things', subject: 'user:1' };

async function atKeys(): Promise<Visitor & { readonly keyId: string; readonly oldKey: string }> {
  const { id, key: oldKey, keyId } = await stage.api.makeTenant();
  const visitor = await stage.visit();
  await visitor.signIn();
  await visitor.open(`/tenants/${id}/keys`);
  await visitor.page.getByRole('table').waitFor();
  return Object.assign(visitor, { keyId, oldKey });
}

async function secretOn(page: Page): Promise<string> {
  return page.getByRole('figure', { name: 'The key' }).getByRole('code').innerText();
}

/** Nowhere that outlives the dialog. */
async function expectForgotten(page: Page, secret: string): Promise<void> {
  expect(await page.content()).not.toContain(secret);
  const kept =
    '({ ...sessionStorage, ...localStorage, address: location.href, title: document.title })';
  expect(JSON.stringify(await page.evaluate(kept))).not.toContain(secret);
}

describe('a key', () => {
  it('is shown once when it is made, works, and is in no address or storage', async () => {
    const { page } = await atKeys();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('checkout');
    await page.getByRole('checkbox', { name: 'usage' }).uncheck();
    await page.getByLabel('Ends').selectOption('month');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByText('Copy it now').waitFor();
    const secret = await secretOn(page);
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    expect((await stage.api.check(secret, ask)).status).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row').filter({ hasText: 'checkout' });
    await row.getByText(/29 d/).waitFor();
    expect(await row.getByText('usage').count()).toBe(0);
    await expectForgotten(page, secret);
    expect(addresses.filter((url) => url.includes(secret))).toEqual([]);
  });

  it('is made by keyboard alone', async () => {
    const { page } = await atKeys();
    await page.getByRole('tab', { name: 'Keys' }).focus();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('Tab', 'Enter');
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('by keyboard');
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Space', 'Enter');
    await page.getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor();
    const secret = await secretOn(page);
    await press('Tab', 'Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New key' }).and(page.locator(':focus')).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'by keyboard' });
    await row.getByText('refund').waitFor();
    expect((await stage.api.check(secret, ask)).status).toBe(200);
  });

  it('is rotated: for a while both work, then the new one', async () => {
    const { page, oldKey } = await atKeys();
    await page.getByRole('button', { name: 'Rotate test' }).click();
    await page.getByLabel('The old key still works').selectOption('3600');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('Copy it now').waitFor();
    const secret = await secretOn(page);
    await page.keyboard.press('Escape');
    await page.getByText(/^(1 h|59 min \d+ s)$/).waitFor();
    for (const key of [oldKey, secret]) {
      expect((await stage.api.check(key, ask)).status).toBe(200);
    }
    await expectForgotten(page, secret);
  });

  it('is revoked once that is confirmed', async () => {
    const { page, oldKey } = await atKeys();
    await page.getByRole('button', { name: 'Revoke test' }).click();
    await page.getByText('It was never used.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await stage.api.check(oldKey, ask)).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke test' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No active key').waitFor();
    expect((await stage.api.check(oldKey, ask)).status).toBe(401);
    await page.getByLabel('Status').selectOption('revoked');
    await page.getByRole('row').filter({ hasText: 'revoked' }).waitFor();
  });

  it('has a form that everybody can use', async () => {
    const visitor = await atKeys();
    const { page } = visitor;
    await page.getByRole('button', { name: 'New key' }).click();
    await checkAccess(visitor);
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid="true"]:focus')).fill('a');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByText('Copy it now').waitFor();
    await checkAccess(visitor);
  });
});
