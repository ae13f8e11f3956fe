// `npm test`: set up, check, run all tests against servers of their own (vitest starts and stops
// them, see test/servers). Arguments go to vitest: `npm test -- limiter/src/core`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './check.mjs';
import { runPhase } from './phase.mjs';
import { exitCodeOfSignal, forwardSignals, runProgram } from './run-program.mjs';
import { setupForTest } from './setup.mjs';
import { readTestTotals, renderTestTotals } from './test-totals.mjs';
import { watchFolder } from './watch-processes.mjs';

const vitestPath = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

async function main() {
  await runPhase('setup', setupForTest);
  forwardSignals();
  const failedChecks = await runChecks();
  if (exitCodeOfSignal() !== undefined) return exitCodeOfSignal();

  const { exitCode, totals } = await runPhase('tests', runVitest, ({ exitCode }) =>
    exitCode === 0 ? 'ok' : 'FAILED',
  );
  if (failedChecks.length > 0) console.log(`Failed checks, see above: ${failedChecks.join(', ')}`);
  console.log(renderTestTotals(totals));
  return exitCodeOfSignal() ?? (exitCode === 0 && failedChecks.length === 0 ? 0 : 1);
}

async function runVitest() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-report-'));
  watchFolder(folder);
  const reportPath = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`];
  const args = [vitestPath, 'run', ...reporters, ...process.argv.slice(2)];
  const { exitCode } = await runProgram(process.execPath, args);
  const totals = readTestTotals(reportPath, exitCode);
  rmSync(folder, { recursive: true, force: true });
  return { exitCode, totals };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
