import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();
const builtPath = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

describe('around every page', () => {
  it('nothing is out of reach', async () => {
    const visitor = await stage.visit();
    await visitor.open('/sign-in');
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await checkAccess(visitor);
  });

  it('the theme is the system’s until it is switched, and then stays', async () => {
    const visitor = await stage.visit({ theme: 'dark' });
    const { page } = visitor;
    await visitor.open('/sign-in');
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.getByRole('button', { name: 'Switch to light' }).click();
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark' }).waitFor();
    expect(await ground()).toBe(light);
  });

  it('a keyboard skips to the content, and a page that is gone to is read from its heading', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/playground');
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Sign in' }).waitFor();
    expect(await page.title()).toBe('Sign in · Sluice');
  });

  it('on a phone the navigation is behind a button, and nothing is wider than the screen', async () => {
    const visitor = await stage.visit({ width: 360, height: 700 });
    const { page } = visitor;
    await visitor.open('/playground');
    const link = page.getByRole('link', { name: 'Sign in' });
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Navigation' }).click();
    await link.click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await link.isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('an address that leads nowhere says so', async () => {
    const visitor = await stage.visit();
    await visitor.open('/no/such/page');
    await visitor.page.getByText('There is no such page').waitFor();
  });

  it('the first load is at most 300 kB of JavaScript, gzipped', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    const loaded = new Set<string>();
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) loaded.add(new URL(response.url()).pathname);
    });
    await page.goto(inject('stage').url, { waitUntil: 'networkidle' });
    const sizes = [...loaded].map((path) => statSync(join(builtPath, `${path}.gz`)).size);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
  });
});
