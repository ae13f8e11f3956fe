import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ChildNode } from '../platform/rig/child-node.ts';
import { baseSettings } from '../platform/rig/settings.ts';
import { startPostgres, type PostgresServer } from '../servers/postgres.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { checkAccess } from './rig/access.ts';
import { PublishingGate } from './rig/gate.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();
const tenants = 4000;
const toldAtGate = 1500;
const limits = [{ name: 'calls', algorithm: 'fixed_window', limit: 100, window_seconds: 60 }];

describe('a shared plan that thousands of tenants are on', () => {
  let postgres: PostgresServer;
  let folder: string;
  let node: ChildNode;
  let gate: PublishingGate;
  let planId: string;

  beforeAll(async () => {
    [postgres, folder] = await Promise.all([startPostgres(), createTemporaryFolder('many')]);
    node = ChildNode.run([inject('stage').programPath, 'serve'], {
      ...baseSettings,
      SLUICE_DATA_DIR: folder,
      SLUICE_DATABASE_URL: postgres.url,
    });
    await node.untilServing();
    planId = (await node.client.change('POST', 'plans', { name: 'crowd', limits })).id;
    await node.client.published();
    gate = await PublishingGate.shutAt(postgres.url, toldAtGate);
    await gate.fillTenants(tenants, 'crowd');
  });
  afterAll(async () => {
    await gate?.close();
    await node?.end();
    await postgres?.stop();
    await removeFolder(folder);
  });

  it('says how many of them know of a change, while they are told and when all do', async () => {
    const visitor = await stage.visit({ url: node.url });
    const { page } = visitor;
    await visitor.signIn(node.adminToken);
    await visitor.open(`/plans/${planId}`);
    await page.getByLabel('Limit', { exact: true }).first().fill('50');
    await page.getByRole('button', { name: 'Save plan' }).click();
    const told = page.getByText('1,500 of 4,000 tenants know');
    await told.waitFor();
    const meter = page.getByRole('meter', { name: 'Tenants that know' });
    expect(await meter.getAttribute('aria-valuenow')).toBe('1500');
    await checkAccess(visitor);

    const other = await stage.visit({ url: node.url });
    await other.signIn(node.adminToken);
    await other.open('/settings');
    await other.page.getByRole('tab', { name: 'Service' }).click();
    const row = other.page.getByRole('row').filter({ hasText: '1,500 of 4,000' });
    await row.waitFor();
    await checkAccess(other);

    // Both stay open: nobody has to load a page again to see how it goes on.
    await gate.open();
    await other.page.getByRole('row').filter({ hasText: 'all 4,000' }).waitFor();
    expect(await row.count()).toBe(0);
    await page.getByText('has reached them').waitFor();
    expect(await told.count()).toBe(0);
  });
});
