// Installs the servers the tests need from the system's packages, and only those that are missing.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findProgram } from './programs.mjs';

/**
 * @typedef {object} Need
 * @property {readonly string[]} programs
 * @property {string} aptPackage
 * @property {string} brewPackage
 * @property {string} serviceName what the Debian package starts by itself
 */

/** @type {readonly Need[]} */
const needs = [
  {
    programs: ['redis-server', 'redis-cli'],
    aptPackage: 'redis-server',
    brewPackage: 'redis',
    serviceName: 'redis-server',
  },
  {
    programs: ['initdb', 'postgres'],
    aptPackage: 'postgresql',
    brewPackage: 'postgresql@17',
    serviceName: 'postgresql',
  },
  {
    programs: ['nginx'],
    aptPackage: 'nginx',
    brewPackage: 'nginx',
    serviceName: 'nginx',
  },
];

export function installSystemPrograms() {
  const missing = needs.filter(isMissing);
  if (missing.length === 0) return;
  if (findProgram('apt-get') !== undefined) installWithApt(missing);
  else if (findProgram('brew') !== undefined) installWithBrew(missing);
  const stillMissing = missing.filter(isMissing).flatMap((need) => need.programs);
  if (stillMissing.length > 0) {
    throw new Error(
      `The tests need ${stillMissing.join(', ')}, which could not be installed. ` +
        'Install Redis 7.0 or newer, PostgreSQL 14 or newer and nginx, then run `npm test` again.',
    );
  }
}

/** @param {Need} need */
function isMissing(need) {
  return need.programs.some((name) => findProgram(name) === undefined);
}

/** @param {readonly Need[]} missing */
function installWithApt(missing) {
  const packages = missing.map((need) => need.aptPackage);
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
    runAsRoot('systemctl', ['disable', '--now', '--quiet', serviceName]);
  }
}

/** @param {readonly Need[]} missing */
function installWithBrew(missing) {
  const packages = missing.map((need) => need.brewPackage);
  console.log(`Installing ${packages.join(', ')} with brew ...`);
  spawnSync('brew', ['install', '--quiet', ...packages], { stdio: 'inherit' });
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
