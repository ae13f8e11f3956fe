// Measures the service beside bare Fastify and prints a table of ratios for each row. Starts every server it
// needs on 127.0.0.1, each in a process of its own, and stops them. See ../README.md.

import { parseOptions, type RowName, type ServicePace } from './options.ts';
import { Rig } from './rig.ts';
import { measureAllRules } from './rows/all-rules.ts';
import { measureEmbedded } from './rows/embedded.ts';
import { measureEvidence } from './rows/evidence.ts';
import { measureManyPerCall } from './rows/many-per-call.ts';
import { measureManyTenants } from './rows/many-tenants.ts';
import { measureOnRedis } from './rows/on-redis.ts';
import { runRows } from './run-rows.ts';
import type { Line } from './table.ts';

type Row = (rig: Rig, pace: ServicePace) => Promise<Line[]>;

const rows: Readonly<Record<RowName, Row>> = {
  a: measureOnRedis,
  b: measureManyPerCall,
  c: measureEmbedded,
  d: measureManyTenants,
  e: measureAllRules,
  f: measureEvidence,
};

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

const { pace, only, nodeArgs } = parseOptions(process.argv.slice(2));
await runRows(only, (name) => measureRow(rows[name], pace, nodeArgs));
