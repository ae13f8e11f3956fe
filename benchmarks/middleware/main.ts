// Measures our middleware beside the limiter that people use with each framework and prints one table
// of ratios. Starts every server it needs on 127.0.0.1, each in a process of its own, and stops them.
// See ../README.md.

import { cpus, loadavg } from 'node:os';
import { startRedis } from '../../test/servers/redis.ts';
import { Driver } from '../service/driver.ts';
import { renderTable, type Line } from '../service/table.ts';
import { parseOptions, type MiddlewareOptions } from './options.ts';
import { measureRow, type RowName } from './rows.ts';

const wholeRunMs = 1_200_000;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const startMs = performance.now();
  const lines: Line[] = [];
  for (const name of options.only) lines.push(...(await measureAlone(name, options)));
  console.log(renderTable(lines));
  const tookS = Math.round((performance.now() - startMs) / 1000);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\n${tookS} s, Node ${process.version}, load ${load} on ${cpus().length} processors`);
}

/** A row's servers live no longer than it: they would take memory from the next. */
async function measureAlone(name: RowName, { pace, nodeArgs }: MiddlewareOptions): Promise<Line[]> {
  const driver = new Driver();
  const stops: (() => Promise<void>)[] = [];
  const startOne = async () => {
    const redis = await startRedis();
    stops.push(() => redis.stop());
    return redis.url;
  };
  try {
    return await measureRow(name, { driver, nodeArgs, startRedis: startOne, stops }, pace);
  } finally {
    driver.stop();
    for (const stop of stops.toReversed()) await stop();
  }
}

// Whatever hangs, the run ends; the watchdog of this process then stops what it started.
setTimeout(() => {
  console.error(`no end after ${wholeRunMs / 1000} s`);
  process.exit(1);
}, wholeRunMs).unref();

await main();
process.exit();
