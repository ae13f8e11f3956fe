import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();
const tight = {
  name: 'tight',
  algorithm: 'fixed_window',
  limit: 2,
  window_seconds: 3600,
  per: ['tenant'],
};
const trial = { ...tight, name: 'trial', mode: 'shadow' };
const warned = { ...tight, name: 'warned', mode: 'warn' };

/** What is pressed, one after the other, until a dialog stands there. */
type Way = readonly (string | RegExp)[];

async function signedIn(token?: string): Promise<Visitor> {
  const visitor = await stage.visit();
  await visitor.signIn(token);
  return visitor;
}

/** Opens it, looks at it in both themes and on a phone, and closes it by the keyboard. */
async function checkDialog(visitor: Visitor, way: Way): Promise<void> {
  const { page } = visitor;
  for (const name of way) await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await dialog.getByText('Loading').waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog', { name: /\S/ }).count()).toBe(1);
  // Where a keyboard is at first: within it.
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
  await checkAccess(visitor, 'dialog[open]');
  await page.setViewportSize({ width: 360, height: 760 });
  const overhang = await dialog.evaluate((shown) => shown.scrollWidth - shown.clientWidth);
  expect(overhang).toBe(0);
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

async function furnish() {
  const { id, key } = await stage.api.makeTenant({
    name: `Reach ${randomUUID()}`,
    limits: [tight, trial, warned],
  });
  const own = { tenant_id: id, reason: 'for a while' };
  await stage.api.change('POST', 'overrides', { ...own, limit: 'tight', numbers: { limit: 9 } });
  await stage.api.change('POST', 'blocks', { ...own, subject: 'user:9' });
  await stage.api.change('PUT', `quotas/${id}`, { limit: 500, period: 'month' });
  await stage.api.check(key, { resource: 'GET:/things', subject: 'user:1' });
  return id;
}

/** Which page, and the dialogs on it. */
const dialogs: Readonly<
  Record<string, (id: string) => Promise<readonly [string, readonly Way[]]>>
> = {
  'the list of tenants': async () => ['/tenants', [['New tenant']]],
  'a tenant': async (id) => [
    `/tenants/${id}`,
    [['Edit'], ['Reset tight'], ['Suspend…'], ['Delete…']],
  ],
  'its keys': async (id) => [
    `/tenants/${id}/keys`,
    [['New key'], [/^Edit /], [/^Rotate /], [/^Revoke /]],
  ],
  'its overrides': async (id) => [
    `/tenants/${id}/overrides`,
    [['New override'], [/^Edit /], [/^Delete the /], ['Delete these…']],
  ],
  'its blocks': async (id) => [
    `/tenants/${id}/blocks`,
    [['New block'], ['Edit user:9'], ['Delete user:9']],
  ],
  'its quota': async (id) => [`/quotas/${id}`, [['Top up'], ['Delete']]],
  'all quotas': async () => ['/quotas', [['New quota']]],
  'a plan': async (id) => {
    const fields = { tenant_id: id, name: `plan-${randomUUID()}`, limits: [tight] };
    const plan = await stage.api.change('POST', 'plans', fields);
    return [`/plans/${plan.id}`, [['Delete']]];
  },
  'a policy': async (id) => {
    const fields = { tenant_id: id, resource: 'GET:/reach', limits: [tight] };
    const policy = await stage.api.change('POST', 'policies', fields);
    return [`/policies/${policy.id}`, [['Delete']]];
  },
  'a limit on trial': async (id) => [`/rollout/${id}/trial`, [['Promote']]],
  'a limit that warns': async (id) => [`/rollout/${id}/warned`, [['Promote'], ['Step back']]],
};

it('the dialogs of every page are within everybody’s reach', async () => {
  const id = await furnish();
  const visitor = await signedIn();
  for (const [page, waysOf] of Object.entries(dialogs)) {
    const [path, ways] = await waysOf(id);
    await visitor.open(path);
    await visitor.page.getByRole('heading', { level: 1 }).waitFor();
    for (const way of ways) {
      await checkDialog(visitor, way).catch((error: unknown) => {
        throw new Error(`the dialog by ${way.join(', ')} of ${page}`, { cause: error });
      });
    }
  }
}, 180_000);

it('the blocks of a tenant are within everybody’s reach', async () => {
  const id = await furnish();
  const visitor = await signedIn();
  await visitor.open(`/tenants/${id}/blocks`);
  await visitor.page.getByRole('row').filter({ hasText: 'user:9' }).waitFor();
  await checkAccess(visitor);
  expect(await visitor.widerThanPhone()).toEqual([]);
});

it('the name of a tenant is within reach of its own operator', async () => {
  const fields = { name: 'own', role: 'operator', tenant_id: await furnish() };
  const { token } = await stage.api.change('POST', 'tokens', fields);
  await checkDialog(await signedIn(token), ['Rename']);
});

describe('the settings', () => {
  /** Something of each kind, so that no table is empty. */
  async function furnishSettings() {
    const mark = randomUUID().slice(0, 8);
    const { id } = await stage.api.makeTenant({ name: `Reach ${mark}`, limits: [tight] });
    await stage.api.change('POST', 'tokens', { name: `robot ${mark}`, role: 'viewer' });
    await stage.api.change('POST', 'pools', { name: `pool-${mark}`, tiers: [`tier-${mark}`] });
    const url = `https://hooks.example.com/${mark}`;
    await stage.api.change('POST', 'webhooks', { url, events: ['quota.threshold'] });
    await stage.api.change('PUT', 'modes', {
      scope: 'limit',
      tenant_id: id,
      limit: 'tight',
      mode: 'warn',
    });
    return { mark, url };
  }

  async function openTab(page: Page, tab: string): Promise<void> {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText('Loading').first().waitFor({ state: 'detached' });
    await page.getByRole('tabpanel').getByRole('table').first().waitFor();
  }

  it('are within everybody’s reach, tab by tab', async () => {
    const { mark } = await furnishSettings();
    const visitor = await signedIn();
    const { page } = visitor;
    await visitor.open('/settings');
    for (const tab of ['Tokens', 'Modes', 'Webhooks', 'Pools']) {
      await openTab(page, tab);
      await page.getByRole('row').filter({ hasText: mark }).first().waitFor();
      await checkAccess(visitor);
      expect(await visitor.widerThanPhone()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 860 });
    }
    await openTab(page, 'Service');
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
  });

  it('have dialogs that are, too', async () => {
    const { mark, url } = await furnishSettings();
    const visitor = await signedIn();
    const { page } = visitor;
    await visitor.open('/settings');
    const ways: readonly (readonly [string, readonly Way[]])[] = [
      ['Tokens', [['New token'], [`Revoke robot ${mark}`]]],
      ['Modes', [['Set a mode'], [/^Change /], [/^Remove /]]],
      ['Webhooks', [['New webhook'], [`Deliveries to ${url}`], [`Delete ${url}`]]],
      ['Pools', [['New pool'], [`Change pool-${mark}`], [`Delete pool-${mark}`]]],
    ];
    for (const [tab, dialogsOf] of ways) {
      await openTab(page, tab);
      for (const way of dialogsOf) await checkDialog(visitor, way);
    }
  });

  it('show a secret that was made within everybody’s reach', async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    await visitor.open('/settings');
    await openTab(page, 'Tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('robot');
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByText('Copy it now').waitFor();
    await checkAccess(visitor, 'dialog[open]');
    await page.getByRole('dialog').locator('button:focus').waitFor();
  });
});
