// Everything that can be said about the code without running it. All steps run at once.

import { fileURLToPath } from 'node:url';
import { runPhase } from './phase.mjs';
import { exitCodeOfSignal, forwardSignals, runProgram } from './run-program.mjs';

const rootPath = fileURLToPath(new URL('..', import.meta.url));

/** @type {Readonly<Record<string, readonly string[]>>} */
const steps = {
  lint: ['oxlint/bin/oxlint'],
  format: ['oxfmt/bin/oxfmt', '--check'],
  types: ['typescript/bin/tsc', '-p', rootPath],
  // Apart, for what a browser knows is not what Node knows.
  'console types': ['typescript/bin/tsc', '-p', `${rootPath}/dashboard`],
  rooms: ['tsx/dist/cli.mjs', `${rootPath}/scripts/check-rooms.ts`],
};

/** @returns {Promise<readonly string[]>} the names of the steps that failed */
export async function runChecks() {
  const failures = await Promise.all(
    Object.entries(steps).map(async ([name, [program = '', ...args]]) => {
      const finished = await runPhase(
        name,
        () =>
          runProgram(process.execPath, [`${rootPath}/node_modules/${program}`, ...args], {
            capture: true,
          }),
        ({ exitCode }) => (exitCode === 0 ? 'ok' : 'FAILED'),
      );
      if (finished.exitCode === 0) return [];
      console.log(finished.output.trimEnd());
      return [name];
    }),
  );
  return failures.flat();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  forwardSignals();
  const failures = await runChecks();
  process.exitCode = exitCodeOfSignal() ?? (failures.length === 0 ? 0 : 1);
}
