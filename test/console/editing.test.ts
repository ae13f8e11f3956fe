import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();
const tight = { name: 'tight', algorithm: 'fixed_window', limit: 2, window_seconds: 3600 };
const ask = { resource: 'GET:/things', subject: 'user:1' };
const quicker = 'Somebody else changed this meanwhile. Save again';

async function signedInAt(path: string, token?: string) {
  const visitor = await stage.visit();
  await visitor.signIn(token);
  await visitor.open(path);
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  const save = () => dialog.getByRole('button', { name: 'Save' }).click();
  const saved = () => dialog.waitFor({ state: 'detached' });
  return { visitor, page, dialog, save, saved };
}

async function onlyOverrideOf(tenantId: string): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await stage.api.change('GET', `overrides?tenant_id=${tenantId}`);
  const overrides: readonly Readonly<Record<string, unknown>>[] = items;
  expect(overrides).toHaveLength(1);
  return overrides[0] ?? {};
}

describe('an override', () => {
  it('is changed in place, and what was not touched stays as it was', async () => {
    const { id, key } = await stage.api.makeTenant({ limits: [tight] });
    const made = await stage.api.change('POST', 'overrides', {
      tenant_id: id,
      limit: 'tight',
      numbers: { limit: 10 },
      attributes: { region: 'eu' },
      ttl_seconds: 7000,
      reason: 'A launch',
    });
    const { visitor, page, dialog, save, saved } = await signedInAt(`/tenants/${id}/overrides`);
    await page.getByRole('button', { name: 'Edit the override of tight' }).click();
    await dialog.getByText('2 unless said otherwise').waitFor();
    expect(await dialog.getByLabel('How many').inputValue()).toBe('10');
    await checkAccess(visitor);
    await dialog.getByLabel('How many').fill('0');
    await dialog.getByLabel('Attributes').fill('');
    await save();
    await dialog.getByLabel('How many').and(page.locator('[aria-invalid="true"]:focus')).waitFor();
    await dialog.getByLabel('How many').fill('50');
    await save();
    await saved();
    await page.getByRole('row').filter({ hasText: 'everybody' }).getByText('50').waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(49);
    const { expires_at: end } = made as unknown as { readonly expires_at: string };
    expect(await stage.api.change('GET', `overrides/${made.id}`)).toMatchObject({
      numbers: { limit: 50 },
      attributes: {},
      expires_at: end,
      reason: 'A launch',
      version: 2,
    });
  });

  it('starts later where that is chosen, also when it has begun, and never after its end', async () => {
    const { id, key } = await stage.api.makeTenant({ limits: [tight] });
    const { visitor, page, dialog, save, saved } = await signedInAt(`/tenants/${id}/overrides`);
    const starts = dialog.getByLabel('Starts');
    const row = (status: string) => page.getByRole('row').filter({ hasText: status });
    await page.getByRole('button', { name: 'New override' }).click();
    await dialog.getByLabel('How many').fill('10');
    await dialog.getByLabel('Why').fill('A launch');
    await starts.selectOption('week');
    await dialog.getByText('must be after it starts').waitFor();
    await starts.selectOption('hour');
    await dialog.getByRole('button', { name: 'Make override' }).click();
    await saved();
    await row('scheduled').getByText('starts in').waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(1);
    const made = await onlyOverrideOf(id);

    const edit = page.getByRole('button', { name: 'Edit the override of tight' });
    await edit.click();
    await starts.selectOption('now');
    await save();
    await saved();
    await row('active').waitFor();
    expect((await stage.api.check(key, ask)).body.remaining).toBe(8);

    await edit.click();
    await starts.selectOption('at');
    const moment = dialog.getByLabel('Start, by your clock');
    await moment.fill('2999-01-01T00:00');
    await dialog.getByText('must be before it ends').waitFor();
    await checkAccess(visitor);
    await save();
    await moment.fill('');
    await save();
    await moment.and(page.locator('[aria-invalid="true"]:focus')).waitFor();
    await starts.selectOption('hour');
    await save();
    await saved();
    await row('scheduled').waitFor();
    expect((await stage.api.check(key, ask)).body.allowed).toBe(false);
    const { expires_at } = made;
    expect(await onlyOverrideOf(id)).toMatchObject({ status: 'scheduled', expires_at, version: 3 });
  });

  it('is not changed over what somebody else changed, until that is known', async () => {
    const { id } = await stage.api.makeTenant({ limits: [tight] });
    const fields = { tenant_id: id, limit: 'tight', numbers: { limit: 10 }, reason: 'A launch' };
    const { id: overrideId } = await stage.api.change('POST', 'overrides', fields);
    const { page, dialog, save, saved } = await signedInAt(`/tenants/${id}/overrides`);
    await page.getByRole('button', { name: 'Edit the override of tight' }).click();
    await dialog.getByLabel('Why').fill('Two launches');
    await stage.api.change('PATCH', `overrides/${overrideId}`, { numbers: { limit: 20 } });
    await save();
    await dialog.getByText(quicker).waitFor();
    await page.getByRole('row', { includeHidden: true }).filter({ hasText: '20' }).waitFor();
    await save();
    await saved();
    expect(await stage.api.change('GET', `overrides/${overrideId}`)).toMatchObject({
      numbers: { limit: 20 },
      reason: 'Two launches',
      version: 3,
    });
  });
});

describe('a key', () => {
  it('gets another name, other rights and another end, and stays the same key', async () => {
    const { id, key, keyId } = await stage.api.makeTenant({});
    const { visitor, page, dialog, save, saved } = await signedInAt(`/tenants/${id}/keys`);
    await page.getByRole('row').nth(1).getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Name').fill('checkout, staging');
    await dialog.getByRole('checkbox', { name: 'check', exact: false }).first().uncheck();
    await dialog.getByLabel('Ends').selectOption('quarter');
    await checkAccess(visitor);
    await save();
    await saved();
    const row = page.getByRole('row').filter({ hasText: 'checkout, staging' });
    await row.getByText(/^(90 d|89 d 23 h)/).waitFor();
    expect((await stage.api.check(key, ask)).status).toBe(403);

    await row.getByRole('button', { name: 'Edit checkout, staging' }).click();
    await dialog.getByRole('checkbox', { name: 'check', exact: false }).first().check();
    await stage.api.change('PATCH', `keys/${keyId}`, { name: 'renamed by others' });
    await save();
    await dialog.getByText(quicker).waitFor();
    await page.getByRole('heading', { name: 'Edit renamed by others' }).waitFor();
    await save();
    await saved();
    expect((await stage.api.check(key, ask)).status).toBe(200);
    expect(await stage.api.change('GET', `keys/${keyId}`)).toMatchObject({
      name: 'renamed by others',
      expires_at: expect.any(String),
    });
  });
});

describe('a block', () => {
  it('is made a bypass, for good, with another reason', async () => {
    const { id, key } = await stage.api.makeTenant({ limits: [tight] });
    const fields = { tenant_id: id, subject: ask.subject, reason: 'Scrapes', ttl_seconds: 600 };
    const { id: blockId } = await stage.api.change('POST', 'blocks', fields);
    const { visitor, page, dialog, save, saved } = await signedInAt(`/tenants/${id}/blocks`);
    await page.getByRole('button', { name: `Edit ${ask.subject}` }).click();
    await checkAccess(visitor);
    await dialog.getByLabel('Why').fill('');
    await save();
    await dialog.getByLabel('Why').and(page.locator('[aria-invalid="true"]:focus')).waitFor();
    await dialog.getByLabel('Why').fill('Our own probe');
    await dialog.getByLabel('What').selectOption('bypass');
    await dialog.getByLabel('Ends').selectOption('never');
    await stage.api.change('PATCH', `blocks/${blockId}`, { ttl_seconds: 900 });
    await save();
    await dialog.getByText(quicker).waitFor();
    await page.getByText(/^1[45] min/).waitFor({ state: 'attached' });
    await save();
    await saved();
    await page.getByRole('row').filter({ hasText: 'Our own probe' }).getByText('never').waitFor();
    for (let call = 0; call < 4; call += 1) {
      expect((await stage.api.check(key, ask)).body.allowed).toBe(true);
    }
  });
});

it('a tenant’s own operator changes its keys and blocks, and no override', async () => {
  const { id } = await stage.api.makeTenant({ limits: [tight] });
  const own = { tenant_id: id, reason: 'from before' };
  await stage.api.change('POST', 'overrides', { ...own, limit: 'tight', numbers: { limit: 9 } });
  await stage.api.change('POST', 'blocks', { ...own, subject: 'user:9' });
  await stage.api.change('POST', 'blocks', { ...own, subject: 'probe', action: 'bypass' });
  const fields = { name: 'own', role: 'operator', tenant_id: id };
  const { token } = await stage.api.change('POST', 'tokens', fields);
  const { visitor, page, dialog, save, saved } = await signedInAt('/account/overrides', token);
  await page.getByRole('row').filter({ hasText: 'from before' }).waitFor();
  expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
  await visitor.open('/account/blocks');
  await page.getByRole('button', { name: 'Edit user:9' }).click();
  expect(await dialog.getByLabel('What').count()).toBe(0);
  await dialog.getByLabel('Why').fill('still scrapes');
  await save();
  await saved();
  await page.getByRole('row').filter({ hasText: 'still scrapes' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit probe' }).count()).toBe(0);
});
