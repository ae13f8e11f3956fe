// What `npm start` and `npm test` do first: bring in whatever is missing, quickly when nothing is.
// Plain Node without dependencies, because it runs before there are any.

import { fileURLToPath } from 'node:url';
import { installDependencies } from './npm-dependencies.mjs';
import { installSystemPrograms } from './system-programs.mjs';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const nodeVersionMin = /** @type {const} */ ([20, 19]);

export async function setupForStart() {
  requireNodeVersion();
  installDependencies(rootPath);
  const { buildAll } = await import('./build.mjs');
  buildAll();
}

export async function setupForTest() {
  requireNodeVersion();
  installDependencies(rootPath);
  installSystemPrograms();
}

function requireNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [majorMin, minorMin] = nodeVersionMin;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  throw new Error(
    `Sluice needs Node ${majorMin}.${minorMin} or newer; this is ${process.version}.`,
  );
}
