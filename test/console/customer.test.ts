import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { statusOfForced } from './rig/forced.ts';
import { useConsole, type Look } from './rig/visitor.ts';

const stage = useConsole();

/** A tenant, its neighbour, and the tenant's own operator before the console. */
async function customer(look: Look = {}, role = 'operator') {
  const name = `Customer ${randomUUID().slice(0, 8)}`;
  const own = await stage.api.makeTenant({ name });
  const neighbour = await stage.api.makeTenant({ name: `Neighbour of ${name}` });
  const fields = { name: 'own admin', role, tenant_id: own.id };
  const { token } = await stage.api.change('POST', 'tokens', fields);
  const visitor = await stage.visit(look);
  await visitor.signIn(token);
  return { visitor, page: visitor.page, name, own, neighbour };
}

describe("a tenant's own admin", () => {
  it('is at home with its tenant, and finds no other: not in lists, nor by address, nor by force', async () => {
    const { visitor, page, name, own, neighbour } = await customer();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const links = await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .allInnerTexts();
    expect(links).toContain('My tenant');
    expect(links).not.toContain('Tenants');
    for (const path of [`/tenants/${neighbour.id}`, `/tenants/${own.id}`, '/tenants']) {
      await visitor.open(path);
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
      expect(await page.content()).not.toContain('Neighbour of');
    }
    expect(await statusOfForced(page, 'GET', `tenants/${neighbour.id}`)).toBe(404);
    expect(await statusOfForced(page, 'GET', `usage?tenant_id=${neighbour.id}`)).toBe(404);
    expect(await statusOfForced(page, 'DELETE', `keys/${neighbour.keyId}`)).toBe(404);
    const key = { tenant_id: neighbour.id, name: 'mine' };
    expect(await statusOfForced(page, 'POST', 'keys', key)).toBe(404);
  });

  it('changes its name, and nothing it is limited by', async () => {
    const { visitor, page, own } = await customer();
    await page.getByText('is changed by who runs this service').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    const name = `Renamed ${randomUUID().slice(0, 8)}`;
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('button', { name: 'Rename' }).last().click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    for (const control of ['Edit', 'Suspend…', 'Delete…']) {
      expect(await page.getByRole('button', { name: control, exact: true }).count()).toBe(0);
    }
    await visitor.open('/account/overrides');
    await page.getByText('They are made by who runs this service.').waitFor();
    expect(await page.getByRole('button', { name: 'New override' }).count()).toBe(0);
    expect(await statusOfForced(page, 'PATCH', `tenants/${own.id}`, { tier: 'enterprise' })).toBe(
      403,
    );
  });

  it('goes on as soon as it is renamed, while the page reads anew what it shows', async () => {
    const { visitor, page } = await customer();
    await page.getByText('is changed by who runs this service').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    const name = `Renamed ${randomUUID().slice(0, 8)}`;
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/admin/tenants/**', async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Rename' }).last().click();
    await page.getByText(`Now called ${name}.`).waitFor();
    await visitor.open('/account/overrides');
    release();
    await page.getByText('They are made by who runs this service.').waitFor();
  });

  it('makes keys, but none that selects plans; and blocks callers, but lets none through', async () => {
    const { visitor, page } = await customer();
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    expect(await page.getByRole('checkbox', { name: 'plan:select' }).isDisabled()).toBe(true);
    await page.getByText('granted only by who runs this service').waitFor();
    await page.getByLabel('Name').fill('own');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByText('Copy it now').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'own' }).waitFor();

    await visitor.open('/account/blocks');
    await page.getByRole('button', { name: 'New block' }).click();
    await page.getByLabel('Who').fill('user:7');
    await page.getByLabel('Why').fill('Scrapes');
    expect(await page.getByLabel('What').count()).toBe(0);
    await page.getByRole('button', { name: 'Make block' }).click();
    await page.getByRole('row').filter({ hasText: 'Scrapes' }).waitFor();
  });

  it('sees its quota, and the way to deal it out', async () => {
    const { visitor, page, own } = await customer({}, 'viewer');
    await stage.api.change('PUT', `quotas/${own.id}`, { limit: 500, period: 'month' });
    await visitor.open('/account/overview');
    await page.reload();
    await page.getByText('of 500 requests this month').waitFor();
    await page.getByRole('link', { name: 'Deal it out' }).waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  });

  it('reads it on a phone, in the dark', async () => {
    const { visitor, page, own } = await customer({ theme: 'dark' });
    await stage.api.check(own.key, { resource: 'GET:/things', subject: 'user:1' });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const tab of ['overview', 'usage', 'keys', 'overrides', 'blocks']) {
      await visitor.open(`/account/${tab}`);
      await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
      const overhang = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overhang).toBe(0);
    }
    await checkAccess(visitor);
  });
});
