import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { NodeClient } from '../platform/rig/client.ts';
import { watchedTenant } from './rig/history.ts';
import type { Stage } from './rig/stage.ts';
import type { Scene } from './scenes.ts';

/** Quotas, rollouts, decisions, the audit and settings, with something in them. */
export const evidenceScenes: readonly Scene[] = [
  { name: 'quotas', path: '/quotas', height: 1000, play: showQuota },
  { name: 'quotas-phone', path: '/quotas', width: 390, height: 844, play: showQuota },
  { name: 'rollout', path: '/rollout', play: showRollouts },
  { name: 'rollout-limit', path: '/rollout', height: 1120, play: showRollout },
  { name: 'decision', path: '/decisions', height: 900, play: showDecision },
  { name: 'audit', path: '/audit', height: 900, play: showAudit },
  { name: 'settings', path: '/settings', play: showSettings },
  { name: 'rollout-phone', path: '/rollout', width: 390, height: 844, play: showRollout },
];

const name = 'Lumen Robotics';
const teams = {
  platform: {
    limit: 90_000,
    users: { 'ci-runner': { limit: 60_000 }, ines: { limit: 12_000 }, marek: { limit: 12_000 } },
  },
  research: { limit: 70_000, users: { 'notebook-7': { limit: 40_000 }, yuki: { limit: 25_000 } } },
  support: { limit: 20_000, users: {} },
};
const used = [
  ['platform', 'ci-runner', 51_200],
  ['platform', 'ines', 3_120],
  ['platform', 'marek', 11_480],
  ['research', 'notebook-7', 38_900],
  ['research', 'yuki', 6_050],
  ['support', 'desk', 4_410],
] as const;
const limits = [
  { name: 'requests', algorithm: 'fixed_window', limit: 1_000_000, window_seconds: 60 },
  {
    name: 'searches',
    algorithm: 'fixed_window',
    limit: 12,
    window_seconds: 86_400,
    per: ['tenant', 'subject'],
    resources: ['GET:/search'],
    mode: 'shadow',
  },
  {
    name: 'exports',
    algorithm: 'token_bucket',
    bucket_capacity: 3,
    refill_rate_per_sec: 0.01,
    resources: ['POST:/exports'],
  },
];

let made: Promise<string> | undefined;

/** Once for all pictures. Says which decision to look at. */
function makeAll({ url, adminToken }: Stage): Promise<string> {
  made ??= (async () => {
    const api = new NodeClient(url, adminToken);
    const { id, key, planId } = await api.makeTenant({ name, tier: 'enterprise', limits });
    await changePlan(api, planId);
    await api.change('PUT', `quotas/${id}`, { limit: 200_000, teams });
    for (const [team, user, cost] of used) {
      const attributes = { team, user };
      await api.check(key, { resource: 'GET:/items', subject: user, cost, attributes });
    }
    const topUp = { amount: 25_000, reason: 'Conference week' };
    await api.change('POST', `quotas/${id}/top-up`, topUp);
    for (let at = 0; at < 60; at += 1) {
      const calls = Math.round(3 + (at % 7) + (at % 11 === 0 ? 14 : 0) + (at === 22 ? 25 : 0));
      const subject = `user:${4100 + at * 13}`;
      const checks = Array.from({ length: calls }, () => ({ resource: 'GET:/search', subject }));
      await api.checks(key, checks);
    }
    await makeSettings(api, id);
    return refused(api, key);
  })();
  return made;
}

/** So that the audit has a change to show. */
async function changePlan(api: NodeClient, planId: string | null): Promise<void> {
  const changed = limits.map((limit) =>
    limit.name === 'requests' ? { ...limit, limit: 600_000, window_seconds: 30 } : limit,
  );
  await api.change('PATCH', `plans/${planId}`, { limits: changed });
}

async function refused(api: NodeClient, key: string): Promise<string> {
  const check = { resource: 'POST:/exports', subject: 'user:4217', cost: 2 };
  await api.check(key, check);
  const { decision_id: id } = (await api.check(key, check)).body;
  // Receipts and evidence are written every two seconds.
  await sleep(5000);
  return id;
}

async function makeSettings(api: NodeClient, tenantId: string): Promise<void> {
  const tokens = [
    { name: 'deploy pipeline', role: 'operator' },
    { name: 'night shift', role: 'viewer' },
    { name: 'Lumen’s own console', role: 'owner', tenant_id: tenantId },
  ];
  for (const token of tokens) await api.change('POST', 'tokens', token);
}

async function showQuota(page: Page, stage: Stage): Promise<void> {
  await makeAll(stage);
  await page.reload();
  await page.getByRole('link', { name }).click();
  await page.getByText('51,200 of 60,000').waitFor();
  await page.getByLabel('Limit of research').fill('95000');
  await page.getByText('The organisation promises').waitFor();
}

async function showRollouts(page: Page, stage: Stage): Promise<void> {
  await makeAll(stage);
  await page.reload();
  await page.getByRole('link', { name: 'searches' }).first().waitFor();
}

async function showRollout(page: Page, stage: Stage): Promise<void> {
  await showRollouts(page, stage);
  await page.getByLabel('Tenant').selectOption({ label: watchedTenant });
  await page.getByRole('link', { name: 'reports' }).click();
  await page.getByText('Try another number').waitFor();
  await page.getByRole('slider').press('ArrowLeft');
  await page.getByRole('heading', { name: 'reports' }).focus();
}

async function showDecision(page: Page, stage: Stage): Promise<void> {
  await page.getByLabel('Decision id').fill(await makeAll(stage));
  await page.getByRole('button', { name: 'Read receipt' }).click();
  await page.getByText('How it was decided').waitFor();
}

async function showAudit(page: Page, stage: Stage): Promise<void> {
  await makeAll(stage);
  await page.reload();
  await page.getByLabel('Tenant').selectOption({ label: name });
  const changes = page.getByRole('list', { name: 'Changes' });
  await changes
    .getByRole('listitem')
    .filter({ hasText: /changed.*plan/ })
    .first()
    .locator('summary')
    .click();
}

async function showSettings(page: Page, stage: Stage): Promise<void> {
  await makeAll(stage);
  await page.reload();
  await page.getByText('night shift').waitFor();
}
