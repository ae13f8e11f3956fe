// `npm run test:faults`: the campaigns of the reliability table in their long form, one after the
// other, and their figures as a table. `npm run test:faults -- T36 T47` runs these alone;
// FAULT_SCALE=0.1 makes them a tenth as long.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderFaultTable } from './fault-table.mjs';
import { exitCodeOfSignal, forwardSignals, runProgram } from './run-program.mjs';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const folder = 'test/faults';
const defaultResults = join(rootPath, 'node_modules/.cache/sluice/faults.jsonl');

/** Of these campaigns, all unless some are named, in the order of their numbers. */
function listFiles(/** @type {readonly string[]} */ wanted) {
  const files = readdirSync(join(rootPath, folder)).filter((name) => /^t\d\d-/.test(name));
  const known = new Set(files.map((name) => name.slice(0, 3).toUpperCase()));
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new Error(`There is no campaign ${unknown.join(', ')}: ${[...known].join(' ')}`);
  }
  return files.filter((name) => wanted.length === 0 || wanted.includes(idOf(name)));
}

function idOf(/** @type {string} */ name) {
  return name.slice(0, 3).toUpperCase();
}

async function main() {
  const wanted = process.argv.slice(2).map((id) => id.toUpperCase());
  const files = listFiles(wanted);
  const resultsPath = process.env['FAULT_RESULTS'] ?? defaultResults;
  mkdirSync(join(resultsPath, '..'), { recursive: true });
  if (wanted.length === 0) rmSync(resultsPath, { force: true });
  appendFileSync(resultsPath, '');
  forwardSignals();
  const { exitCode } = await runProgram(
    process.execPath,
    [
      join(rootPath, 'scripts/test.mjs'),
      '--no-file-parallelism',
      ...files.map((name) => `${folder}/${name}`),
    ],
    {
      env: {
        ...process.env,
        FAULT_SCALE: process.env['FAULT_SCALE'] ?? '1',
        FAULT_RESULTS: resultsPath,
      },
    },
  );
  if (existsSync(resultsPath)) console.log(renderFaultTable(readFileSync(resultsPath, 'utf8')));
  console.log(`\nResults: ${resultsPath}`);
  return exitCodeOfSignal() ?? exitCode;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
