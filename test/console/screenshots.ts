// `npm run screenshots`: every page in both themes, as PNG files in docs/screenshots. With names,
// these alone: `npm run screenshots -- playground overview`.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { writeHistory } from './rig/history.ts';
import { openStage, type Stage } from './rig/stage.ts';
import { scenes, type Scene } from './scenes.ts';

const folder = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const themes = ['light', 'dark'] as const;

const stage = await openStage(writeHistory);
try {
  await mkdir(folder, { recursive: true });
  const browser = await chromium.connect(stage.browserEndpoint);
  const wanted = process.argv.slice(2);
  for (const scene of scenes.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    await shoot(browser, scene);
  }
  await browser.close();
} finally {
  await stage.close();
}

async function shoot(browser: Browser, scene: Scene): Promise<void> {
  const { width = 1280, height = 832 } = scene;
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (scene.signedIn !== false) await signIn(page, stage);
  await page.goto(`${stage.url}/#${scene.path}`);
  await scene.play?.(page, stage);
  // Out of the way of what it would point at.
  await page.mouse.move(0, 0);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    const path = join(folder, `${scene.name}-${theme}.png`);
    await page.screenshot({ path });
    console.log(path);
  }
  await context.close();
}

async function signIn(page: Page, { url, adminToken }: Stage): Promise<void> {
  await page.goto(`${url}/#/sign-in`);
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // On a phone the way out is behind a button.
  await page.getByLabel('Admin token').waitFor({ state: 'detached' });
}
