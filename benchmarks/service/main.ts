// Measures the service beside bare Fastify and prints one table of ratios. Starts every server it
// needs on 127.0.0.1, each in a process of its own, and stops them. See ../README.md.

import { cpus, loadavg } from 'node:os';
import { parseOptions, type RowName, type ServicePace } from './options.ts';
import { Rig } from './rig.ts';
import { measureAllRules } from './rows/all-rules.ts';
import { measureEmbedded } from './rows/embedded.ts';
import { measureEvidence } from './rows/evidence.ts';
import { measureManyPerCall } from './rows/many-per-call.ts';
import { measureManyTenants } from './rows/many-tenants.ts';
import { measureOnRedis } from './rows/on-redis.ts';
import { renderTable, type Line } from './table.ts';

type Row = (rig: Rig, pace: ServicePace) => Promise<Line[]>;

const rows: Readonly<Record<RowName, Row>> = {
  a: measureOnRedis,
  b: measureManyPerCall,
  c: measureEmbedded,
  d: measureManyTenants,
  e: measureAllRules,
  f: measureEvidence,
};

const wholeRunMs = 1_200_000;

async function main(): Promise<void> {
  const { pace, only, nodeArgs } = parseOptions(process.argv.slice(2));
  const startMs = performance.now();
  const lines: Line[] = [];
  for (const name of only) lines.push(...(await measureRow(rows[name], pace, nodeArgs)));
  console.log(renderTable(lines));
  const tookS = Math.round((performance.now() - startMs) / 1000);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\n${tookS} s, Node ${process.version}, load ${load} on ${cpus().length} processors`);
}

async function measureRow(
  row: Row,
  pace: ServicePace,
  nodeArgs: readonly string[],
): Promise<Line[]> {
  const rig = new Rig(nodeArgs);
  try {
    const lines = await row(rig, pace);
    await rig.requireExact();
    return lines;
  } finally {
    await rig.stop();
  }
}

// Whatever hangs, the run ends; the watchdog of this process then stops what it started.
setTimeout(() => {
  console.error(`no end after ${wholeRunMs / 1000} s`);
  process.exit(1);
}, wholeRunMs).unref();

await main();
process.exit();
