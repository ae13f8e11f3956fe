// `npm run bench`: sets up as `npm test` does, then runs main.ts. Plain Node without dependencies,
// because it runs before there are any. Arguments go to main.ts: `npm run bench -- --quick`.

import { fileURLToPath } from 'node:url';
import { buildLimiter } from '../scripts/build.mjs';
import { runPhase } from '../scripts/phase.mjs';
import { exitCodeOfSignal, forwardSignals, runProgram } from '../scripts/run-program.mjs';
import { setupForTest } from '../scripts/setup.mjs';

try {
  await runPhase('setup', setupForTest);
  // What is published is what is measured: run from source, tsx would name every function anew each
  // time it is made, at a cost that no user pays.
  await runPhase('build', async () => buildLimiter());
  forwardSignals();
  const loader = import.meta.resolve('tsx');
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const args = ['--import', loader, main, ...process.argv.slice(2)];
  const { exitCode } = await runProgram(process.execPath, args);
  process.exitCode = exitCodeOfSignal() ?? exitCode;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
