// Measures our middleware beside the limiter that people use with each framework and prints one table
// of ratios. Starts every server it needs on 127.0.0.1, each in a process of its own, and stops them.
// See ../README.md.

import { cpus, loadavg } from 'node:os';
import { startRedis } from '../../test/servers/redis.ts';
import { Driver } from '../service/driver.ts';
import type { ServicePace } from '../service/options.ts';
import { renderTable, type Line } from '../service/table.ts';
import { parseOptions, type MiddlewareOptions } from './options.ts';
import { linesOf, measureRow, type MeasuredRow, type RowName } from './rows.ts';

const wholeRunMs = 1_200_000;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const startMs = performance.now();
  const lines: Line[] = [];
  for (const name of options.only) lines.push(...(await measureLives(name, options)));
  console.log(renderTable(lines));
  const tookS = Math.round((performance.now() - startMs) / 1000);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\n${tookS} s, Node ${process.version}, load ${load} on ${cpus().length} processors`);
}

/**
 * Processes of the same code differ by up to a seventh for as long as they live, so that a row starts
 * its servers several times.
 */
const livesMax = 4;
/** Ratios are of two rounds in opposite orders. */
const roundsOfLifeMin = 2;

async function measureLives(name: RowName, options: MiddlewareOptions): Promise<Line[]> {
  const { rounds } = options.pace;
  const lives = Math.max(1, Math.min(livesMax, Math.floor(rounds / roundsOfLifeMin)));
  const pace = { ...options.pace, rounds: Math.ceil(rounds / lives / 2) * 2 };
  const seen: MeasuredRow[] = [];
  for (let life = 0; life < lives; life += 1) seen.push(await measureLife(name, options, pace));
  return linesOf(name, seen);
}

async function measureLife(
  name: RowName,
  { asleep, nodeArgs }: MiddlewareOptions,
  pace: ServicePace,
): Promise<MeasuredRow> {
  const driver = new Driver();
  const stops: (() => Promise<void>)[] = [];
  const startOne = async () => {
    const redis = await startRedis();
    stops.push(() => redis.stop());
    return redis.url;
  };
  try {
    const stage = { driver, nodeArgs, asleep, startRedis: startOne, stops };
    return await measureRow(name, stage, pace);
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
