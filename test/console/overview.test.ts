import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.ts';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();
const limits = [
  { name: 'tight', algorithm: 'fixed_window', limit: 1, window_seconds: 3600 },
  { name: 'trial', algorithm: 'fixed_window', limit: 1, window_seconds: 3600, mode: 'shadow' },
];

/** Enough to be among those who are refused most, whatever other tests do meanwhile. */
const many = (subject: string) => Array.from({ length: 500 }, () => ({ resource: 'x', subject }));

describe('the overview', () => {
  it('shows who is refused as it happens, by which limit and of which tenant', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    const name = `Live ${Date.now()}`;
    const { key } = await stage.api.makeTenant({ name, limits });
    await visitor.signIn();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await stage.api.checks(key, many('canary-of-the-overview'));
    const row = page
      .getByRole('group', { name: 'Limits that refuse most' })
      .getByRole('row', { name: `tight ${name}` });
    await row.getByRole('cell', { name: '499', exact: true }).first().waitFor();
    const subjects = page.getByRole('group', { name: 'Subjects refused most' });
    await subjects.getByRole('row', { name: new RegExp(`${name} tight 499`) }).waitFor();
    // Who it was is for the receipt alone.
    expect(await page.content()).not.toContain('canary-of-the-overview');
  });

  it('tells tenants of the same name apart', async () => {
    const name = `Twins ${Date.now()}`;
    const twins = [
      await stage.api.makeTenant({ name, limits }),
      await stage.api.makeTenant({ name, limits }),
    ];
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await page.getByText('Live', { exact: true }).waitFor();
    for (const { key } of twins) await stage.api.checks(key, many('somebody'));
    for (const title of ['Limits that refuse most', 'Subjects refused most']) {
      const table = page.getByRole('group', { name: title });
      for (const { id } of twins) {
        const row = table.getByRole('row', { name: `${name} …${id.slice(-8)}` });
        await row.getByRole('cell', { name: '499', exact: true }).first().waitFor();
      }
    }
    await checkAccess(visitor);
  });

  it('comes again where it left off when the connection breaks', async () => {
    const { port } = new URL(inject('stage').url);
    const proxy = await FaultProxy.start(Number(port));
    onTestFinished(() => proxy.stop());
    const visitor = await stage.visit({ url: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    const name = `Broken ${Date.now()}`;
    const { key } = await stage.api.makeTenant({ name, limits });
    await visitor.signIn();
    await page.getByText('Decisions a second').waitFor();
    const witness = await stage.visit();
    await witness.signIn();
    await witness.page.getByText('Live', { exact: true }).waitFor();
    proxy.fault = { kind: 'reset_on_reply' };
    await page.getByText(/Connecting again/).waitFor();
    await stage.api.checks(key, many('somebody'));
    // Only when it has been told to all who listen is it told to nobody but who asks for it.
    await witness.page.getByRole('row', { name: `tight ${name} 499` }).waitFor();
    proxy.fault = { kind: 'pass' };
    await page.getByRole('row', { name: `tight ${name} 499` }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('has nothing that is out of reach', async () => {
    const visitor = await stage.visit();
    await visitor.signIn();
    await visitor.page.getByText('Decisions a second').waitFor();
    await checkAccess(visitor);
  });

  it('is not for a token of a tenant, nor for a stranger', async () => {
    const tenant = await stage.api.makeTenant();
    const fields = { name: 'theirs', role: 'viewer', tenant_id: tenant.id };
    const { token } = await stage.api.change('POST', 'tokens', fields);
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/overview');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.signIn(token);
    await page.goto(`${inject('stage').url}/#/overview`);
    await page.getByText('There is no such page').waitFor();
    expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
  });
});
