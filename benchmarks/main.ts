// Measures Sluice beside what people would use otherwise and prints one table of ratios. Starts a
// Redis of its own on 127.0.0.1 and stops it. See README.md.

import { cpus, loadavg } from 'node:os';
import { requireExact } from './checked.ts';
import type { Pace } from './measure.ts';
import { parseOptions } from './options.ts';
import { measureAgainstFlexible } from './rows/against-flexible.ts';
import { measureBytes } from './rows/bytes-per-subject.ts';
import { measureFiveAgainstOne } from './rows/five-against-one.ts';
import { measureFiveLimits } from './rows/five-limits.ts';
import { measureManyChecks } from './rows/many-checks.ts';
import { measureMemory } from './rows/memory.ts';
import { measureOneLimit } from './rows/one-limit.ts';
import { startServer, type BenchmarkServer } from './server.ts';
import { renderTable, type Line } from './table.ts';

type RedisRow = (server: BenchmarkServer, pace: Pace) => Promise<Line[]>;

const redisRows: readonly (readonly [number, RedisRow])[] = [
  [3, measureOneLimit],
  [4, measureAgainstFlexible],
  [5, measureFiveLimits],
  [6, measureFiveAgainstOne],
  [7, measureManyChecks],
  [8, measureBytes],
];

const wholeRunMs = 300_000;

async function main(): Promise<void> {
  const { pace, only } = parseOptions(process.argv.slice(2));
  const startMs = performance.now();
  const lines: Line[] = [];
  // First, while the compiler has seen nothing else: a service is warm in one way of use as well.
  if (only.has(1) || only.has(2)) lines.push(...(await measureMemory(pace, only)));
  const wanted = redisRows.filter(([row]) => only.has(row));
  if (wanted.length > 0) lines.push(...(await measureRedis(wanted, pace)));
  console.log(renderTable(lines));
  const tookS = Math.round((performance.now() - startMs) / 1000);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\n${tookS} s, Node ${process.version}, load ${load} on ${cpus().length} processors`);
}

async function measureRedis(
  rows: readonly (readonly [number, RedisRow])[],
  pace: Pace,
): Promise<Line[]> {
  const server = await startServer();
  try {
    const lines: Line[] = [];
    for (const [, measureRow] of rows) {
      await server.redis.flushall();
      lines.push(...(await measureRow(server, pace)));
    }
    requireExact();
    return lines;
  } finally {
    await server.stop();
  }
}

// Whatever hangs, the run ends; the watchdog of the server's process then stops the server.
setTimeout(() => {
  console.error(`no end after ${wholeRunMs / 1000} s`);
  process.exit(1);
}, wholeRunMs).unref();

await main();
