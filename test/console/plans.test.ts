import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();

const calls = { name: 'calls', algorithm: 'fixed_window', limit: 2, window_seconds: 60 };

function named(what: string): string {
  return `${what}-${randomUUID().slice(0, 8)}`;
}

async function makeTenant(name = named('tenant')) {
  const { id } = await stage.api.change('POST', 'tenants', { name });
  return { id, name };
}

async function makePlan(limits: readonly object[] = [calls]) {
  const tenant = await makeTenant();
  const name = named('plan');
  const plan = await stage.api.change('POST', 'plans', { tenant_id: tenant.id, name, limits });
  return { id: plan.id, name, tenant };
}

/** A header of the example answer. */
function header(page: Page, name: string): Locator {
  return page.locator('.header-list div', { hasText: name }).locator('dd').first();
}

describe('a plan', () => {
  it('is made from two limits, which are checked while they are written, and decides so', async () => {
    const tenant = await makeTenant();
    const name = named('made');
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/plans/new');
    await page.getByRole('heading', { name: 'New plan', level: 1 }).waitFor();
    await page.getByLabel('For', { exact: true }).selectOption('One tenant');
    await page.getByText('is needed: name a tenant').waitFor();
    await page.getByRole('combobox', { name: 'Tenant' }).selectOption(tenant.id);
    await page.getByText('is needed: name a tenant').waitFor({ state: 'detached' });
    await page.getByLabel('Plan name').fill(name);

    const size = page.getByLabel('Limit', { exact: true }).first();
    await page.getByLabel('Algorithm').selectOption('Fixed window');
    await size.fill('2.5');
    await page.getByText(/must be a whole number/).waitFor();
    expect(await size.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Once the limit is right, it is drawn here.').waitFor();
    await size.fill('2');
    await page.getByText(/must be a whole number/).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Add a limit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('tokens');
    await page.getByLabel('Counts').fill('tokens');
    await page.getByRole('button', { name: 'Make plan' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();

    const { items } = await stage.api.change('GET', `plans?tenant_id=${tenant.id}`);
    const [plan] = items as [{ readonly id: string; readonly limits: object[] }];
    expect(plan.limits).toEqual([
      {
        name: 'requests',
        algorithm: 'fixed_window',
        limit: 2,
        window_seconds: 60,
        per: ['tenant'],
      },
      {
        name: 'tokens',
        algorithm: 'sliding_window_counter',
        limit: 100,
        window_seconds: 60,
        unit: 'tokens',
        per: ['tenant'],
      },
    ]);
    await stage.api.change('PATCH', `tenants/${tenant.id}`, { plan_id: plan.id });
    const { key } = await stage.api.change('POST', 'keys', { tenant_id: tenant.id, name: 'test' });
    const check = { resource: 'GET:/x', subject: 'a' };
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await stage.api.check(key, check)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('shows the headers and draws what it lets through, and both follow what is written', async () => {
    const plan = await makePlan([{ ...calls, limit: 100 }]);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/plans/${plan.id}`);
    const drawing = page.locator('.traffic .admitted');
    await page.getByText('In 4 min, 400 of 600 calls are let through').waitFor();
    const before = await drawing.getAttribute('d');
    expect(await header(page, 'X-RateLimit-Limit').textContent()).toBe('100');
    expect(await header(page, 'X-RateLimit-Remaining').textContent()).toBe('99');

    await page.getByLabel('Limit', { exact: true }).first().fill('30');
    await page.getByText('In 4 min, 120 of 180 calls are let through').waitFor();
    expect(await drawing.getAttribute('d')).not.toBe(before);
    expect(await header(page, 'X-RateLimit-Limit').textContent()).toBe('30');

    await page.getByRole('tab', { name: '429 calls used up' }).click();
    expect(await header(page, 'X-RateLimit-Remaining').textContent()).toBe('0');
    await page.getByText('calls allows 30 per 1 minute').waitFor();

    await page.getByRole('slider', { name: 'Asked for' }).fill('0.9');
    await page.getByText('All 108 calls in 4 min are let through.').waitFor();
    await page.getByRole('radio', { name: 'Bursts' }).check();
    await page.getByLabel('Mode').selectOption('Warn: let through, and say so');
    await page.getByRole('tab', { name: '200 calls used up' }).waitFor();
    await page.getByText('calls: 30 per 1 minute').waitFor();
  });

  it('can be written as JSON too', async () => {
    const plan = await makePlan();
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/plans/${plan.id}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const text = page.getByLabel('As JSON');
    await text.fill('{ "name": ');
    await page.getByText('is not JSON yet').waitFor();
    await text.fill(JSON.stringify({ name: plan.name, limits: [{ ...calls, colour: 'red' }] }));
    await page.getByText('limits[0].colour').waitFor();
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByText('Put right what is marked').waitFor();
    const bucket = { algorithm: 'token_bucket', bucket_capacity: 7, refill_rate_per_sec: 0.5 };
    await text.fill(JSON.stringify({ name: plan.name, limits: [calls, bucket] }));
    await page.getByRole('tab', { name: 'Form' }).click();
    await page
      .getByRole('button', { name: /token_bucket bursts of 7, then 30 a minute/ })
      .waitFor();
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByText(`Plan ${plan.name} saved: it counts from the next check on.`).waitFor();
    const { limits } = await stage.api.change('GET', `plans/${plan.id}`);
    expect(limits).toEqual([calls, { name: 'token_bucket', ...bucket }]);
  });

  it('is not saved over what somebody else saved meanwhile', async () => {
    const plan = await makePlan();
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/plans/${plan.id}`);
    const size = page.getByLabel('Limit', { exact: true }).first();
    await size.fill('5');
    await stage.api.change('PATCH', `plans/${plan.id}`, { limit: 9 });
    const save = page.getByRole('button', { name: 'Save plan' });
    await save.click();
    await page.getByText('Somebody else changed this meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Load the newest' }).click();
    await page.getByText('Somebody else changed this meanwhile.').waitFor({ state: 'detached' });
    expect(await size.inputValue()).toBe('9');
    // And twice more, with the version that the first makes, though it is not read again before the second.
    let letRead = () => {};
    const held = new Promise<void>((resolve) => (letRead = resolve));
    await page.route(`**/v1/admin/plans/${plan.id}`, async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue();
    });
    await size.fill('6');
    await save.click();
    await page.getByText(`Plan ${plan.name} saved`).waitFor();
    await size.fill('7');
    await save.click();
    await expect
      .poll(async () => (await stage.api.change('GET', `plans/${plan.id}`)).version as number, {
        timeout: 10_000,
      })
      .toBe(4);
    letRead();
  });

  it('shows at its field what only the service can know, and what is missing', async () => {
    const plan = await makePlan();
    const taken = { tenant_id: plan.tenant.id, name: named('taken'), limits: [calls] };
    await stage.api.change('POST', 'plans', taken);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/plans/${plan.id}`);
    const patterns = page.getByLabel('Only for resources');
    await patterns.fill('GET:/a\nGET:/b{x');
    await page.getByText('[1]: has braces that are no whole segment').waitFor();
    await patterns.fill('GET:/a\nGET:/b/{x}');
    const name = page.getByLabel('Plan name');
    await name.fill(taken.name);
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByText('is taken').waitFor();
    await name.and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Remove calls' }).click();
    await page.getByText('must have at least one limit').waitFor();
  });

  it('is deleted once it is confirmed, and nobody is on it', async () => {
    const plan = await makePlan();
    await stage.api.change('PATCH', `tenants/${plan.tenant.id}`, { plan_id: plan.id });
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/plans');
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    await page.getByLabel('Show').selectOption('Of one tenant');
    await page.getByLabel('Tenant').selectOption(plan.tenant.id);
    await page.getByRole('button', { name: `Delete ${plan.name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete plan' }).click();
    await dialog.getByText('1 tenant is on this plan').waitFor();
    await stage.api.change('PATCH', `tenants/${plan.tenant.id}`, { plan_id: null });
    await dialog.getByRole('button', { name: 'Delete plan' }).click();
    await page.getByText(`Plan ${plan.name} deleted.`).waitFor();
    expect((await stage.api.admin('GET', `plans/${plan.id}`)).status).toBe(404);
  });
});

describe('a shared plan', () => {
  it('starts from a template, by keyboard alone, and says when all tenants know of it', async () => {
    const name = named('tier');
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/plans');
    await tabTo(page, page.getByRole('link', { name: 'New plan' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New plan' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('radio', { name: 'starter' }).waitFor();
    await tabTo(page, page.getByRole('radio', { name: 'Nothing' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel('Plan name'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(name);
    await tabTo(page, page.getByRole('button', { name: /^exports/ }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Limit', { exact: true }).first());
    await page.keyboard.type('77');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('The last change of what all tenants share has reached them').waitFor();
    const { items } = await stage.api.change('GET', `plans?tenant_id=shared&name=${name}`);
    const [{ limits }] = items as [{ limits: { name: string; limit: number }[] }];
    expect(limits.find((limit) => limit.name === 'exports')?.limit).toBe(77);
  });
});

describe('who may not change plans', () => {
  async function signedInAs(fields: object) {
    const made = await stage.api.change('POST', 'tokens', { name: 'reads', ...fields });
    const visitor = await stage.visit();
    await visitor.signIn(made.token);
    return visitor;
  }

  async function expectNoControls({ page }: Visitor): Promise<void> {
    expect(await page.getByRole('link', { name: 'New plan' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Save|Delete|Add/ }).count()).toBe(0);
  }

  it('reads all of them as a viewer of the platform', async () => {
    const plan = await makePlan();
    const visitor = await signedInAs({ role: 'viewer' });
    const { page } = visitor;
    await visitor.open('/plans');
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    await expectNoControls(visitor);
    await visitor.open(`/plans/${plan.id}`);
    await page.getByRole('heading', { name: 'What it lets through' }).waitFor();
    await page.getByText('2 in each minute, for each tenant, subject and resource').waitFor();
    await expectNoControls(visitor);
    await visitor.open('/plans/new');
    await page.getByRole('heading', { name: 'Nothing here', level: 1 }).waitFor();
    await expectNoControls(visitor);
  });

  it('reads its own as a tenant, and finds no neighbour’s', async () => {
    const [plan, other] = [await makePlan(), await makePlan()];
    const visitor = await signedInAs({ role: 'operator', tenant_id: plan.tenant.id });
    const { page } = visitor;
    await visitor.open('/plans');
    await page.getByRole('link', { name: plan.name }).waitFor();
    await expectNoControls(visitor);
    expect(await page.getByRole('link', { name: other.name }).count()).toBe(0);
    await visitor.open(`/plans/${other.id}`);
    await page.getByText('There is no plan with this id').waitFor();
  });
});

it('the pages of plans are within reach of everybody', async () => {
  const slots = { algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 9 };
  const plan = await makePlan([calls, slots]);
  const visitor = await stage.visit();
  const { page } = visitor;
  await visitor.signIn();
  await visitor.open('/plans');
  await page.getByRole('table', { name: 'Plans' }).waitFor();
  await page.getByLabel('Show').selectOption('Of one tenant');
  await page.getByLabel('Tenant').selectOption(plan.tenant.id);
  await page.getByRole('cell', { name: 'demo' }).first().waitFor({ state: 'detached' });
  await checkAccess(visitor);
  await visitor.open(`/plans/${plan.id}`);
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Backpressure').check();
  await page.getByLabel('As large as a share of another limit').check();
  await page.getByLabel('Ratio').fill('2');
  await page.getByText('must be at most 1').waitFor();
  await checkAccess(visitor);
});

/** As who has no mouse gets there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) > 0) return;
  }
  throw new Error('The Tab key never gets there.');
}
