// `npm run bench`, `npm run bench:service` and so on: sets up as `npm test` does, then runs main.ts,
// service/main.ts and so on. Plain Node without dependencies, because it runs before there are any. Further
// arguments are theirs: `npm run bench -- --quick`.

import { fileURLToPath } from 'node:url';
import { buildAll, buildLimiter } from '../scripts/build.mjs';
import { runPhase } from '../scripts/phase.mjs';
import { exitCodeOfSignal, forwardSignals, runProgram } from '../scripts/run-program.mjs';
import { setupForTest } from '../scripts/setup.mjs';

const [program = 'main.ts', ...rest] = process.argv.slice(2);
const needsService = /^(service|envoy)\//.test(program);

try {
  await runPhase('setup', setupForTest);
  // What is published is what is measured: run from source, tsx would name every function anew each
  // time it is made, at a cost that no user pays.
  await runPhase('build', async () => (needsService ? buildAll() : buildLimiter()));
  forwardSignals();
  const loader = import.meta.resolve('tsx');
  const main = fileURLToPath(new URL(program, import.meta.url));
  const args = ['--import', loader, main, ...rest];
  const { exitCode } = await runProgram(process.execPath, args);
  process.exitCode = exitCodeOfSignal() ?? exitCode;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
