// Measures the door for Envoy beside a bare handler of the same gRPC library and prints one table of
// ratios. Starts every server it needs on 127.0.0.1, each in a process of its own, and stops them.
// See ../README.md.

import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findFreePort } from '../../test/servers/free-port.ts';
import { createTemporaryFolder, removeFolder } from '../../test/servers/temporary-folder.ts';
import { Driver } from '../service/driver.ts';
import { measure, type Contender } from '../service/measure.ts';
import { thorough, quick, type ServicePace } from '../service/options.ts';
import { startProgram, type Server } from '../service/process.ts';
import { Rig } from '../service/rig.ts';
import { lineOf, renderTable, type Line } from '../service/table.ts';

const inFlight = 32;
const subjects = 10_000;
const wholeRunMs = 600_000;

/** What is published. */
const distUrl = String(new URL('../../platform/dist/src', import.meta.url));

const rules = `domain: bench
descriptors:
  - key: user
    rate_limit: { unit: hour, requests_per_unit: 1000000 }
`;

type Started = { readonly server: Server; readonly grpcPort: number };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: 'door,node' },
      profile: { type: 'string' },
    },
  });
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const rig = new Rig(nodeArgs);
  const driver = new Driver(fileURLToPath(new URL('driver.mjs', import.meta.url)));
  const folder = await createTemporaryFolder('bench-envoy');
  const stops: (() => Promise<void>)[] = [];
  try {
    const started = await startAll(rig, {
      only: values.only.split(','),
      folder,
      nodeArgs,
      stops,
    });
    const lines = await measureAll(driver, started, values.quick ? quick : thorough);
    console.log(renderTable(lines));
    const load = loadavg()[0]?.toFixed(1);
    console.log(`\nNode ${process.version}, load ${load} on ${cpus().length} processors`);
  } finally {
    driver.stop();
    for (const stop of stops.toReversed()) await stop();
    await rig.stop();
    await removeFolder(folder);
  }
}

type Setup = {
  readonly only: readonly string[];
  readonly folder: string;
  readonly nodeArgs: readonly string[];
  readonly stops: (() => Promise<void>)[];
};

async function startAll(
  rig: Rig,
  { only, folder, nodeArgs, stops }: Setup,
): Promise<Record<string, Started>> {
  const redisUrl = await rig.redisUrl();
  const program = async (name: string): Promise<Started> => {
    const grpcPort = await findFreePort();
    const path = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
    const settings = { GRPC_PORT: String(grpcPort), REDIS_URL: redisUrl, DIST_URL: distUrl };
    const server = await startProgram([...nodeArgs, path], settings);
    stops.push(() => server.stop());
    return { server, grpcPort };
  };
  const node = async (): Promise<Started> => {
    await writeFile(join(folder, 'bench.yaml'), rules);
    const grpcPort = await findFreePort();
    const server = await rig.sluice({
      SLUICE_REDIS_URL: redisUrl,
      SLUICE_DATABASE_URL: await rig.databaseUrl(),
      SLUICE_GRPC_ADDR: `127.0.0.1:${grpcPort}`,
      SLUICE_RLS_CONFIG_DIR: folder,
    });
    return { server, grpcPort };
  };
  return {
    bare: await program('bare'),
    ...(only.includes('door') && { door: await program('door') }),
    ...(only.includes('node') && { node: await node() }),
  };
}

async function measureAll(
  driver: Driver,
  started: Readonly<Record<string, Started>>,
  pace: ServicePace,
): Promise<Line[]> {
  const contenders: Record<string, Contender> = {};
  for (const [name, { server, grpcPort }] of Object.entries(started)) {
    await driver.defineAs(name, { port: grpcPort, inFlight, subjects });
    contenders[name] = { server, load: name, decisions: 1 };
  }
  const seen = await measure(driver, contenders, pace);
  const what: Readonly<Record<string, string>> = {
    door: 'the door alone, one EVALSHA',
    node: 'ShouldRateLimit, one descriptor, on Redis',
  };
  return Object.keys(what)
    .filter((name) => seen[name])
    .map((name) =>
      lineOf({
        row: 'g',
        what: what[name] ?? name,
        against: 'bare gRPC handler with one EVALSHA',
        atLeast: name === 'node' ? 0.7 : null,
        subject: seen[name] ?? [],
        baseline: seen['bare'] ?? [],
      }),
    );
}

// Whatever hangs, the run ends; the watchdog of this process then stops what it started.
setTimeout(() => {
  console.error(`no end after ${wholeRunMs / 1000} s`);
  process.exit(1);
}, wholeRunMs).unref();

await main();
process.exit();
