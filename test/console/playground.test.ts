import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { checkAccess } from './rig/access.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();

async function openTab(visitor: Visitor, name: string): Promise<Page> {
  const { page } = visitor;
  await visitor.open('/playground');
  await page.getByRole('tab', { name }).click();
  return page;
}

/** A slider is set as a hand on the keyboard sets it, in one step. */
async function slide(page: Page, label: string, value: number): Promise<void> {
  await page.getByRole('slider', { name: label }).fill(String(value));
}

async function fire(page: Page): Promise<readonly [allowed: number, refused: number]> {
  await page.getByRole('button', { name: 'Fire' }).click();
  await page.getByRole('button', { name: 'Fire' }).waitFor();
  const tally = await page
    .getByText(/\d+ allowed/)
    .locator('..')
    .innerText();
  const [allowed = 0, refused = 0] = (tally.match(/\d+/g) ?? []).map(Number);
  return [allowed, refused];
}

const bars = (page: Page) => page.getByRole('list', { name: /Answers/ }).getByRole('button');

/** What each lets through of 20 at once, and what is drawn of it. */
const tabs = [
  { name: 'Token bucket', drawn: /of 10 tokens/, least: 10, most: 20, left: /of 10/ },
  { name: 'Fixed window', drawn: /of 10 in this window/, least: 10, most: 20, left: /of 10/ },
  {
    name: 'Sliding log',
    drawn: /of 10 in the last 10 seconds/,
    least: 10,
    most: 10,
    left: /of 10/,
  },
  { name: 'Sliding counter', drawn: /about .* of 10/, least: 10, most: 19, left: /of 10/ },
  { name: 'Concurrency', drawn: /of 3 slots taken/, least: 3, most: 20, left: /of 3/ },
  { name: 'Quota', drawn: /allowance/, least: 20, most: 20, left: /of 100/ },
] as const;

describe('the playground', () => {
  it.each(tabs)(
    '$name: a burst is answered by the real limit, a bar for each answer',
    async (tab) => {
      const visitor = await stage.visit();
      const page = await openTab(visitor, tab.name);
      const panel = page.getByRole('tabpanel');
      await panel.getByText(/Its weakness is/).waitFor();
      const checks: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/v1/check')) checks.push(request.postData() ?? '');
      });
      const [allowed, refused] = await fire(page);
      expect(allowed + refused).toBe(20);
      expect(allowed).toBeGreaterThanOrEqual(tab.least);
      expect(allowed).toBeLessThanOrEqual(tab.most);
      expect(checks).toHaveLength(20);
      expect(new Set(checks).size).toBe(1);
      expect(JSON.parse(checks[0] ?? '')).toMatchObject({ plan_id: expect.any(String) });
      expect(await bars(page).count()).toBe(20);
      expect(await page.getByRole('button', { name: /^\d+: allowed, \d+ left$/ }).count()).toBe(
        allowed,
      );
      expect(await page.getByRole('button', { name: /^\d+: refused, try again in/ }).count()).toBe(
        refused,
      );
      await panel.getByText('Remaining', { exact: true }).waitFor();
      expect(await panel.getByText(tab.left).first().isVisible()).toBe(true);
      expect(await panel.getByLabel(tab.drawn).first().isVisible()).toBe(true);
    },
  );

  it('has nothing that is out of reach', async () => {
    const visitor = await stage.visit();
    await fire(await openTab(visitor, 'Sliding counter'));
    await checkAccess(visitor);
  });

  it('says of each answer that is pointed at what was left, when to come again, and its headers', async () => {
    const visitor = await stage.visit();
    const page = await openTab(visitor, 'Sliding log');
    // One by one: answers arrive in the order in which they were decided.
    await slide(page, 'Concurrency', 1);
    await fire(page);
    await bars(page).first().hover();
    await page.getByText('Answer 1', { exact: true }).waitFor();
    await page.getByText('9 of 10', { exact: true }).waitFor();
    await page.getByText('"sliding-window-log";q=10;w=10').waitFor();
    await bars(page).last().hover();
    await page.getByText('Answer 20', { exact: true }).waitFor();
    await page
      .getByText(/^in \d/)
      .first()
      .waitFor();
    expect(await page.getByText('retry-after', { exact: true }).isVisible()).toBe(true);
  });

  it('is all there for a keyboard', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    const { keyboard } = page;
    await visitor.open('/playground');
    await page.getByRole('tab', { name: 'Token bucket' }).focus();
    await keyboard.press('End');
    await page.getByRole('tab', { name: 'Quota', selected: true }).waitFor();
    await keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Token bucket', selected: true }).waitFor();
    await keyboard.press('Tab');
    await page.locator('input[type=range]:focus').waitFor();
    for (let step = 0; step < 5; step += 1) await keyboard.press('ArrowLeft');
    await page.getByText('15 calls', { exact: true }).waitFor();
    for (let step = 0; step < 4; step += 1) await keyboard.press('Tab');
    await page.locator('button:focus', { hasText: 'Fire' }).waitFor();
    await keyboard.press('Enter');
    await page.getByText(/\d+ refused/).waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Home');
    await page.getByText('Answer 1', { exact: true }).waitFor();
    await keyboard.press('ArrowRight');
    await page.getByText('Answer 2', { exact: true }).waitFor();
  });

  it('a cost that never fits is told as such', async () => {
    const visitor = await stage.visit();
    const page = await openTab(visitor, 'Fixed window');
    await slide(page, 'Burst size', 2);
    await slide(page, 'Cost of each', 12);
    expect(await fire(page)).toEqual([0, 2]);
    await page.getByText(/A cost of 12 never fits a limit of 10/).waitFor();
    await page.getByRole('button', { name: '1: refused, waiting never helps' }).waitFor();
  });

  it('who follows the advice is not refused: no more calls open than there are slots', async () => {
    const visitor = await stage.visit();
    const page = await openTab(visitor, 'Concurrency');
    await slide(page, 'Burst size', 6);
    await slide(page, 'Concurrency', 3);
    await slide(page, 'Each takes', 100);
    expect(await fire(page)).toEqual([6, 0]);
    await page.getByText(/Nothing was refused/).waitFor();
  });

  it('the curl line asks the same question', async () => {
    const visitor = await stage.visit();
    const page = await openTab(visitor, 'Sliding log');
    await fire(page);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const line = String(await page.evaluate('navigator.clipboard.readText()'));
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      line.replace('curl -i', 'curl -s'),
    ]);
    // The same subject: its limit is used up.
    expect(JSON.parse(stdout)).toMatchObject({ allowed: false, limit: 10, remaining: 0 });
  });
});
