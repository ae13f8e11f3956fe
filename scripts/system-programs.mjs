// Installs what the tests need from the system's packages, and only what is missing: servers, and
// the libraries of the browser that came with npm.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser, needsOwnBrowser } from './browser.mjs';
import { findProgram } from './programs.mjs';

/**
 * @typedef {object} Need
 * @property {string} name
 * @property {() => boolean} isThere
 * @property {readonly string[]} aptPackages
 * @property {readonly string[]} brewArguments
 * @property {string} [serviceName] what the Debian package starts by itself
 */

/** @type {readonly Need[]} */
const needs = [
  {
    name: 'Redis 7.0 or newer',
    isThere: () => areThere('redis-server', 'redis-cli'),
    aptPackages: ['redis-server'],
    brewArguments: ['redis'],
    serviceName: 'redis-server',
  },
  {
    name: 'PostgreSQL 14 or newer',
    isThere: () => areThere('initdb', 'postgres'),
    aptPackages: ['postgresql'],
    brewArguments: ['postgresql@17'],
    serviceName: 'postgresql',
  },
  {
    name: 'nginx',
    isThere: () => areThere('nginx'),
    aptPackages: ['nginx'],
    brewArguments: ['nginx'],
    serviceName: 'nginx',
  },
  needsOwnBrowser()
    ? {
        name: 'Chromium',
        isThere: () => findBrowser() !== undefined,
        aptPackages: ['chromium'],
        brewArguments: ['--cask', 'google-chrome'],
      }
    : {
        name: 'what Chromium needs (libnss3, libexpat1)',
        isThere: () => hasLibraries('libnss3.so', 'libexpat.so.1'),
        aptPackages: ['libnss3', 'libexpat1'],
        brewArguments: [],
      },
];

export function installSystemPrograms() {
  const missing = needs.filter(isMissing);
  if (missing.length === 0) return;
  if (findProgram('apt-get') !== undefined) installWithApt(missing);
  else if (findProgram('brew') !== undefined) installWithBrew(missing);
  const stillMissing = missing.filter(isMissing).map(({ name }) => name);
  if (stillMissing.length > 0) {
    throw new Error(
      `The tests need ${stillMissing.join(', ')}, which could not be installed. ` +
        'Install that by hand, then run `npm test` again.',
    );
  }
}

/** @param {Need} need */
function isMissing(need) {
  return !need.isThere();
}

/** @param {readonly string[]} programs */
function areThere(...programs) {
  return programs.every((name) => findProgram(name) !== undefined);
}

/** @param {readonly string[]} names as the dynamic linker knows them */
function hasLibraries(...names) {
  const ldconfig = findProgram('ldconfig');
  if (ldconfig === undefined) return false;
  const { stdout } = spawnSync(ldconfig, ['-p'], { encoding: 'utf8' });
  return names.every((name) => stdout.includes(`\t${name} `));
}

/** @param {readonly Need[]} missing */
function installWithApt(missing) {
  const packages = missing.flatMap((need) => need.aptPackages);
  console.log(`Installing ${packages.join(', ')} with apt-get ...`);
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=120', '-qq'];
  runAsRoot('apt-get', [...waitForLock, 'update']);
  runAsRoot('apt-get', [...waitForLock, 'install', '-y', '--no-install-recommends', ...packages]);
  stopServices(missing);
}

/**
 * The packages start a server of their own. RUNLEVEL=1 prevents that without systemd; with it, we
 * switch off what has just been installed. The tests start private servers instead.
 * @param {readonly Need[]} installed
 */
function stopServices(installed) {
  if (!existsSync('/run/systemd/system')) return;
  for (const { serviceName } of installed) {
    if (serviceName === undefined) continue;
    runAsRoot('systemctl', ['disable', '--now', '--quiet', serviceName]);
  }
}

/** @param {readonly Need[]} missing */
function installWithBrew(missing) {
  for (const { name, brewArguments } of missing) {
    console.log(`Installing ${name} with brew ...`);
    spawnSync('brew', ['install', '--quiet', ...brewArguments], { stdio: 'inherit' });
  }
}

/**
 * Failures show in the output and, at the end, as programs that are still missing.
 * @param {string} command
 * @param {readonly string[]} args
 */
function runAsRoot(command, args) {
  const settings = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
  // `-n`: with nobody watching, a password prompt would hang; without one, it fails with a message.
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', ...(process.stdin.isTTY ? [] : ['-n'])];
  const [program = '', ...rest] = [...prefix, 'env', ...settings, command, ...args];
  spawnSync(program, rest, { stdio: ['inherit', 'ignore', 'inherit'] });
}
