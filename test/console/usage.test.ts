import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { busyDay } from './rig/counted.ts';
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

/** Watches how the chart is drawn, from before the page is there. */
const watchDrawing = `
  window.drawn = { corners: 0, drawings: 0, frames: [], legends: [] };
  const { lineTo } = Path2D.prototype;
  Path2D.prototype.lineTo = function (...at) { drawn.corners += 1; return lineTo.apply(this, at); };
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    drawn.drawings += 1;
    return clearRect.apply(this, area);
  };`;

/** Which frame it is, and in which of them the legend was written anew. */
const watchFrames = `
  let frame = 0;
  const next = (atMs) => { frame += 1; drawn.frames.push(atMs); requestAnimationFrame(next); };
  requestAnimationFrame(next);
  const legend = document.querySelector('figure.chart figcaption');
  const write = (changes) => { if (changes.length > 0) drawn.legends.push(frame); };
  new MutationObserver(write).observe(legend, { subtree: true, characterData: true, childList: true });
  drawn.drawings = 0;`;

/** Far more often than a screen shows anything, and each time as an event of its own. */
const pointOften = `(async () => {
  const over = document.querySelector('figure.chart .u-over');
  const { left, top, width, height } = over.getBoundingClientRect();
  const { port1, port2 } = new MessageChannel();
  for (let move = 0; move < 500; move += 1) {
    const at = { clientX: left + (move / 500) * width, clientY: top + height / 2 };
    over.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, ...at }));
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(null); });
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
})()`;

type Drawn = {
  readonly corners: number;
  readonly drawings: number;
  readonly frames: readonly number[];
  readonly legends: readonly number[];
};

type Answer = { readonly groups: readonly { readonly points: readonly unknown[] }[] };

it('draws ten thousand points of the service, and follows the pointer once a frame', async () => {
  const visitor = await stage.visit();
  const { page } = visitor;
  await page.addInitScript(watchDrawing);
  await visitor.signIn();
  await visitor.open(`/tenants/${await idOf(busyDay.tenant)}/usage`);
  await page.getByLabel('Time', { exact: true }).selectOption('day');
  const answered = page.waitForResponse((answer) => answer.url().includes('group_by=resource'));
  await page.getByLabel('Split by').selectOption('resource');
  const { groups } = (await (await answered).json()) as Answer;
  expect(groups.reduce((sum, { points }) => sum + points.length, 0)).toBe(
    busyDay.resources * busyDay.minutes,
  );
  await page.getByText(/^GET:\/part-7\d+$/).waitFor();
  const resources = page.getByRole('table', { name: 'What each resource was asked for' });
  expect(await resources.locator('tbody tr').count()).toBe(busyDay.resources);

  const chart = page.getByRole('img', { name: /call/ });
  const { x, y, width, height } = (await chart.boundingBox()) ?? none;
  const drawn = () => page.evaluate('drawn') as Promise<Drawn>;
  // Each line as finely as there are pixels: a corner for each point would be drawn over and over.
  const { corners } = await drawn();
  expect(corners).toBeGreaterThan(busyDay.resources * 500);
  expect(await page.locator('figure.chart *').count()).toBeLessThan(80);

  let answers = 0;
  page.on('response', (answer) => (answers += answer.url().includes('/usage?') ? 1 : 0));
  await page.evaluate(watchFrames);
  const figures = new Set<string>();
  for (let move = 0; move < 60; move += 1) {
    await page.mouse.move(x + 60 + (move / 60) * (width - 90), y + height / 2);
    figures.add(await page.locator('.legend').innerText());
  }
  await page.evaluate(pointOften);
  const { drawings, frames, legends } = await drawn();
  expect(figures.size).toBeGreaterThan(5);
  expect(legends).toEqual([...new Set(legends)]);
  // To point draws nothing anew; what the service says meanwhile may.
  expect(drawings).toBeLessThanOrEqual(answers);
  const gapsMs = frames.slice(1).map((atMs, at) => atMs - (frames[at] ?? atMs));
  const sorted = gapsMs.toSorted((a, b) => a - b);
  const share = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(
    `frames while pointing: ${share(0.5)} ms apart, ${share(0.95)} at the 95th percentile`,
  );
});

const none = { x: 0, y: 0, width: 0, height: 0 };

async function idOf(name: string): Promise<string> {
  const path = `tenants?name_prefix=${encodeURIComponent(name)}`;
  const { items } = await stage.api.change('GET', path);
  return (items as readonly { readonly id: string }[])[0]?.id ?? '';
}
