// Finds the server programs the tests start.

import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps servers, which is on the path of root alone. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin'];

/**
 * @param {string} name such as `redis-server` or `initdb`
 * @returns {string | undefined} its full path
 */
export function findProgram(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...folders, ...systemFolders, ...listPostgresFolders()]
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** @param {string} name */
export function requireProgram(name) {
  const path = findProgram(name);
  if (path === undefined) {
    throw new Error(`${name} is not installed; \`npm test\` installs it, or do it by hand.`);
  }
  return path;
}

/** Debian and Homebrew keep each PostgreSQL version in a folder of its own; newest first. */
function listPostgresFolders() {
  const versions = listFolder('/usr/lib/postgresql')
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`);
  const brewed = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((folder) =>
    listFolder(folder)
      .filter((name) => name.startsWith('postgresql@'))
      .map((name) => join(folder, name, 'bin')),
  );
  return [...versions, ...brewed];
}

/** @param {string} path */
function listFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
