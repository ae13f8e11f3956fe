import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { NodeClient } from '../platform/rig/client.ts';
import { planScenes } from './scenes-plans.ts';
import type { Stage } from './rig/stage.ts';
import { tenantScenes } from './scenes-tenants.ts';
import { evidenceScenes } from './scenes-evidence.ts';

/** What a picture is taken of. */
export type Scene = {
  /** Of the file. */
  readonly name: string;
  /** Behind the `#`. */
  readonly path: string;
  readonly signedIn?: false;
  readonly width?: number;
  readonly height?: number;
  /** What is done on the page first, until it shows what it is about. */
  readonly play?: (page: Page, stage: Stage) => Promise<void>;
};

export const scenes: readonly Scene[] = [
  { name: 'playground', path: '/playground', signedIn: false, height: 1000, play: fire },
  {
    name: 'playground-phone',
    path: '/playground',
    signedIn: false,
    width: 390,
    height: 844,
    play: fire,
  },
  { name: 'overview', path: '/overview', height: 1080, play: callForAWhile },
  {
    name: 'sign-in',
    path: '/sign-in',
    signedIn: false,
    play: (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor(),
  },
  ...tenantScenes,
  ...planScenes,
  ...evidenceScenes,
];

/** Some of everything, for as long as a chart needs to have a shape. */
async function callForAWhile(page: Page, { url, adminToken }: Stage): Promise<void> {
  const api = new NodeClient(url, adminToken);
  const shadowed = { algorithm: 'fixed_window', limit: 3, window_seconds: 1, mode: 'shadow' };
  const enforced = { algorithm: 'token_bucket', bucket_capacity: 30, refill_rate_per_sec: 12 };
  const limits = [
    { name: 'search-burst', ...enforced },
    { name: 'search-trial', ...shadowed },
  ];
  const { key } = await api.makeTenant({ name: 'Northwind', limits });
  for (let round = 0; round < 60; round += 1) {
    const size = Math.round(14 + 10 * Math.sin(round / 7) + (round % 9 === 0 ? 25 : 0));
    const checks = Array.from({ length: size }, (_, at) => ({
      resource: 'GET:/search',
      subject: `user:${at % 3}`,
    }));
    await Promise.all(checks.map((check) => api.check(key, check)));
    await sleep(250);
  }
  await page.getByText('search-burst').first().waitFor();
}

async function fire(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fire' }).click();
  await page.getByText(/\d+ refused/).waitFor();
}
