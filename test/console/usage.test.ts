import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();
const limits = [
  { name: 'tight', algorithm: 'fixed_window', limit: 3, window_seconds: 3600 },
  { name: 'trial', algorithm: 'fixed_window', limit: 1, window_seconds: 3600, mode: 'shadow' },
];
const ask = { resource: 'GET:/things', subject: 'user:1' };

it('tells what became of calls, in all and by limit, as a chart and as a table', async () => {
  const { id, key } = await stage.api.makeTenant({ limits });
  for (let call = 0; call < 5; call += 1) await stage.api.check(key, ask);
  const visitor = await stage.visit();
  const { page } = visitor;
  await visitor.signIn();
  await visitor.open(`/tenants/${id}/usage`);
  await page.getByRole('img', { name: /5 calls/ }).waitFor();
  await page.getByRole('button', { name: 'Figures as a table' }).click();
  const figures = page.getByRole('table', { name: 'Calls over time' });
  await expect.poll(() => sums(figures)).toEqual([1, 2, 2, 0]);

  await page.getByLabel('Counted by').selectOption('trial');
  await page.getByRole('columnheader', { name: 'Degraded' }).waitFor({ state: 'detached' });
  await expect.poll(() => sums(figures)).toEqual([3, 0, 4]);

  await page.getByLabel('Time', { exact: true }).selectOption('month');
  await page.getByLabel('Step').selectOption('day');
  await expect.poll(() => sums(figures)).toEqual([3, 0, 4]);
  await page
    .getByRole('row', { name: /^tight/ })
    .getByText('2', { exact: true })
    .waitFor();
});

/** Of each column of figures; the minute may have turned between two calls. */
async function sums(table: Locator) {
  const rows = await table.locator('tbody tr').all();
  const texts = await Promise.all(rows.map((row) => row.locator('td.right').allInnerTexts()));
  const columns = texts[0]?.length ?? 0;
  return Array.from({ length: columns }, (_, at) =>
    texts.reduce((sum, row) => sum + Number(row[at]), 0),
  );
}

it('draws ten thousand points, and follows the pointer with a small part of a frame', async () => {
  const { id, key } = await stage.api.makeTenant({ limits });
  await stage.api.check(key, ask);
  const visitor = await stage.visit();
  const { page, context } = visitor;
  await page.route('**/v1/admin/usage?*', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as { points: { at: string; allowed: number }[] };
    const [first] = report.points;
    const points = Array.from({ length: 10_000 }, (_, at) => ({
      ...first,
      at: new Date(Date.parse('2026-01-01T00:00:00Z') + at * 60_000).toISOString(),
      allowed: Math.round(500 + 400 * Math.sin(at / 90) + 90 * Math.sin(at * 7.1)),
    }));
    await route.fulfill({ response, json: { ...report, points } });
  });
  await visitor.signIn();
  await visitor.open(`/tenants/${id}/usage`);
  const chart = page.getByRole('img', { name: /call/ });
  await chart.waitFor();
  const { x, y, width, height } = (await chart.boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const before = await busySeconds();
  const moves = 50;
  for (let move = 0; move < moves; move += 1) {
    await page.mouse.move(x + 60 + (move / moves) * (width - 80), y + height / 2);
  }
  const eachMs = ((await busySeconds()) - before) * (1000 / moves);
  expect(eachMs).toBeLessThan(16);
  await page.getByText(/^Allowed\d+$/).waitFor();

  async function busySeconds(): Promise<number> {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  }
});
