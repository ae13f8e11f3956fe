import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

const limits = [
  { name: 'writes', algorithm: 'fixed_window', limit: 3, window_seconds: 3600 },
  { name: 'trial', algorithm: 'fixed_window', limit: 1, window_seconds: 3600, mode: 'shadow' },
];

describe('the receipt of a decision', () => {
  let refusedId: string;
  let tenantId: string;
  beforeAll(async () => {
    const { api } = stage;
    const tenant = await api.makeTenant({ name: 'Receipt keepers', limits });
    tenantId = tenant.id;
    const check = { resource: 'POST:/orders', subject: 'user:42', cost: 2 };
    await api.check(tenant.key, check);
    refusedId = (await api.check(tenant.key, check)).body.decision_id;
    await untilKept(refusedId);
  });

  /** They are written within two seconds or so. */
  async function untilKept(id: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 100) {
      if ((await stage.api.admin('GET', `decisions/${id}`)).status === 200) return;
      await sleep(100);
    }
    throw new Error('The receipt was not written in time.');
  }

  it('is read by its id: the verdict, the limits, and a text for support', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/decisions');
    await page.getByLabel('Decision id').fill('100% of them');
    await page.getByRole('button', { name: 'Read receipt' }).click();
    await page.getByText('That is no id').waitFor();
    await page.getByLabel('Decision id').fill(`  ${refusedId} `);
    await page.getByRole('button', { name: 'Read receipt' }).click();
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    await page.getByText(/POST:\/orders of user:42 was refused\. writes allows 3/).waitFor();
    await page.getByText(/What to do: Wait/).waitFor();
    const limitRows = page.getByRole('region', { name: 'Limits' }).getByRole('row');
    expect(await limitRows.nth(1).innerText()).toMatch(
      /writes[^]*refused[^]*2 of 3 requests, 1 left/,
    );
    expect(await limitRows.nth(2).innerText()).toContain('would refuse (shadow)');
    await page.getByText(/tenant \d+, shared \d+/).waitFor();
    await page.getByRole('button', { name: 'Copy for support' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain(`Decision ${refusedId}`);
    expect(copied).toContain('- writes (enforce): 2 of 3 used, 1 left');
  });

  it('that is not kept is explained, and found by tenant and outcome', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/decisions/nothing-of-this-name');
    await page.getByText('No receipt of this id').waitFor();
    await page.getByRole('link', { name: 'All decisions' }).click();
    await page.getByLabel('Tenant').selectOption({ label: 'Receipt keepers' });
    await page.getByLabel('Outcome').selectOption('blocked');
    await page.getByRole('link', { name: `Read receipt ${refusedId}` }).click();
    await page.getByText(/was refused\. writes allows 3/).waitFor();
  });

  it('is read with a token of its tenant, with nothing out of reach', async () => {
    const fields = { name: 'support', role: 'viewer', tenant_id: tenantId };
    const { token } = await stage.api.change('POST', 'tokens', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn(token);
    await visitor.open('/decisions');
    const link = page.getByRole('link', { name: `Read receipt ${refusedId}` });
    await link.waitFor();
    expect(await page.getByLabel('Tenant').count()).toBe(0);
    await checkAccess(visitor);
    await link.click();
    await page.getByText(/was refused\. writes allows 3/).waitFor();
    await checkAccess(visitor);
    expect(await visitor.widerThanPhone()).toEqual([]);
  });
});
