import { cpus, loadavg } from 'node:os';
import { renderTable, type Line } from './table.ts';

/** Whatever hangs, the run ends; the watchdog of this process then stops what it started. */
const rowMsMax = 3_600_000;

/** Measures one row after another, and prints each when it is done: a run may be broken off. */
export async function runRows<Name extends string>(
  names: Iterable<Name>,
  measure: (name: Name) => Promise<readonly Line[]>,
): Promise<never> {
  const startMs = performance.now();
  for (const name of names) {
    const timer = setTimeout(() => {
      console.error(`row ${name}: no end after ${rowMsMax / 1000} s`);
      process.exit(1);
    }, rowMsMax);
    console.log(renderTable(await measure(name)));
    clearTimeout(timer);
    const tookS = Math.round((performance.now() - startMs) / 1000);
    const load = loadavg()[0]?.toFixed(1);
    console.log(
      `\n${tookS} s, Node ${process.version}, load ${load} on ${cpus().length} processors\n`,
    );
  }
  process.exit();
}
