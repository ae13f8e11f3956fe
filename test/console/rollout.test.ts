import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MadeTenant } from '../platform/rig/client.ts';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

const limit = {
  name: 'searches',
  algorithm: 'fixed_window',
  limit: 5,
  window_seconds: 86_400,
  per: ['tenant', 'subject'],
  mode: 'shadow',
};

/** Ten people, of whom one asks twelve times and another eight: five are allowed. */
const calls = Array.from({ length: 10 }, (_, at) => ({
  subject: `user:${at}`,
  count: at === 0 ? 12 : at === 1 ? 8 : 2,
}));

async function makeTrial(name: string): Promise<MadeTenant> {
  const { api } = stage;
  const tenant = await api.makeTenant({ name, limits: [limit] });
  for (const { subject, count } of calls) {
    const checks = Array.from({ length: count }, () => ({ resource: 'GET:/search', subject }));
    await api.checks(tenant.key, checks);
  }
  await untilSeen(tenant.id);
  return tenant;
}

/** Nodes write what they see every two seconds. */
async function untilSeen(tenantId: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 100) {
    const { items } = await stage.api.change('GET', `rollout?tenant_id=${tenantId}`);
    const [report] = items as { readonly subjects: number }[];
    if (report?.subjects === calls.length) return;
    await sleep(100);
  }
  throw new Error('The evidence was not written in time.');
}

describe('a rollout', () => {
  let tenant: MadeTenant;
  beforeAll(async () => {
    tenant = await makeTrial('Rollout watchers');
  });

  it('shows whom a limit would have refused, and what another number would do', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/rollout');
    await page.getByLabel('Tenant').selectOption({ label: 'Rollout watchers' });
    await page.getByRole('link', { name: 'searches' }).click();
    await page.getByText('2 of 10', { exact: true }).waitFor();
    const top = page.getByRole('region', { name: 'Who would have been refused' });
    expect(await top.getByRole('row').nth(1).innerText()).toMatch(/user:0\s+12\s+7\s+12/);
    const tried = page.locator('.tried');
    expect(await tried.innerText()).toContain('20 %');
    const slider = page.getByRole('slider', { name: 'Limit' });
    await slider.press('ArrowRight');
    await tried.getByText('1 of 10', { exact: false }).waitFor();
    expect(await tried.innerText()).toContain('10 %');
    await slider.press('End');
    expect(await tried.innerText()).toContain('0 %');
    await slider.press('Home');
    expect(await tried.innerText()).toContain('100 %');
    await page.getByRole('button', { name: 'Try it' }).click();
    expect(await slider.getAttribute('aria-valuetext')).toBe('12');
  });

  it('takes a limit further and back, and says first what that does to whom', async () => {
    const own = await makeTrial('Rollout movers');
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/rollout/${own.id}/searches`);
    const dialog = page.getByRole('dialog');
    const stages = page.getByRole('list', { name: 'Stages' });
    await page.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByText('still let in. Nobody is refused.').waitFor();
    await dialog.getByLabel('Reason').fill('a quiet week');
    await dialog.getByRole('button', { name: 'Promote to warn' }).click();
    await stages.locator('[aria-current]', { hasText: 'warn' }).waitFor();
    await page.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByText('are refused with status 429').waitFor();
    await dialog.getByLabel('Reason').fill('they were told');
    await dialog.getByRole('button', { name: 'Promote to enforce' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Enforce it all the same').check();
    await dialog.getByRole('button', { name: 'Promote to enforce' }).click();
    await stages.locator('[aria-current]', { hasText: 'enforce' }).waitFor();
    await page.getByRole('button', { name: 'Step back' }).click();
    await dialog.getByText('nobody is refused by it any more').waitFor();
    await dialog.getByLabel('Reason').fill('the importer was hit');
    await dialog.getByRole('button', { name: 'Step back' }).click();
    await stages.locator('[aria-current]', { hasText: 'warn' }).waitFor();
    const { items } = await stage.api.change('GET', `modes?tenant_id=${own.id}`);
    expect(items).toMatchObject([{ scope: 'limit', limit: 'searches', mode: 'warn' }]);
  });

  it('warns now and enforces from a date on, until that is taken back', async () => {
    const own = await stage.api.makeTenant({ name: 'Rollout planners', limits: [limit] });
    const nextYear = new Date().getUTCFullYear() + 1;
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open(`/rollout/${own.id}/searches`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByLabel('How').selectOption('date');
    await dialog.getByLabel('Enforce from').fill(`${nextYear}-01-31T09:00`);
    await dialog.getByLabel('Enforce it all the same').check();
    await dialog.getByLabel('Reason').fill('as announced');
    await dialog.getByRole('button', { name: 'Warn now, enforce then' }).click();
    await page.getByText('It enforces by itself from').waitFor();
    await page.getByRole('button', { name: 'Step back' }).click();
    await dialog.getByText('The date is taken away: it stays in warn').waitFor();
  });

  it('is read by a viewer, who can take no step, with nothing out of reach', async () => {
    const fields = { name: 'watcher', role: 'viewer', tenant_id: tenant.id };
    const { token } = await stage.api.change('POST', 'tokens', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(token);
    await visitor.open('/rollout');
    await page.getByRole('link', { name: 'searches' }).waitFor();
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
    await page.getByRole('link', { name: 'searches' }).click();
    await page.getByText('2 of 10', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Promote|Step back/ }).count()).toBe(0);
    await page.getByText('As a table').click();
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
  });
});
