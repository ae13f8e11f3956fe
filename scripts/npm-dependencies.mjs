// Installs the npm packages when node_modules does not match package-lock.json.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ version?: string, link?: boolean, optional?: boolean, integrity?: string }} Locked
 * @typedef {Record<string, Locked>} LockedPackages
 */

/** @param {string} rootPath */
export function installDependencies(rootPath) {
  if (areDependenciesInstalled(rootPath)) return;
  console.log('Installing npm packages (npm ci); the first time takes about a minute ...');
  // npm names itself in the environment of its scripts; a bare call finds it on the PATH.
  const npm = process.env['npm_execpath'];
  const [command, ...prefix] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const done = spawnSync(command ?? 'npm', [...prefix, 'ci', '--loglevel=error'], {
    cwd: rootPath,
    stdio: 'inherit',
  });
  if (done.status !== 0) {
    throw new Error(
      'npm ci failed (see above). It needs the npm registry; run `npm ci` again when it is reachable.',
    );
  }
}

/**
 * npm writes node_modules/.package-lock.json last, so an interrupted install does not pass for one.
 * @param {string} rootPath
 */
function areDependenciesInstalled(rootPath) {
  const wanted = readLockedPackages(`${rootPath}/package-lock.json`);
  const installed = readLockedPackages(`${rootPath}/node_modules/.package-lock.json`);
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted)
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, { version, integrity, optional }]) => {
      const found = installed[path];
      // Optional packages for other processors and systems are never installed here.
      if (found === undefined) return optional === true;
      return found.version === version && found.integrity === integrity;
    });
}

/**
 * @param {string} path
 * @returns {LockedPackages | undefined}
 */
function readLockedPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
