// Compiles the library and the service, incrementally, puts beside the compiled code what it reads
// at run time (Lua scripts, pages and protocols), and bundles the console.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';

const rootPath = fileURLToPath(new URL('..', import.meta.url));

/** Folders that are read as they are. */
const copied = [
  { from: 'limiter/src/engines/redis/lua', to: 'limiter/dist/engines/redis/lua', only: ['.lua'] },
  {
    from: 'platform/src/doors/http/docs-page',
    to: 'platform/dist/src/doors/http/docs-page',
    only: ['.html', '.css', '.js'],
  },
  { from: 'platform/proto', to: 'platform/dist/proto', only: ['.proto'] },
];

/** The library alone. */
export function buildLimiter({ clean = false } = {}) {
  build('limiter', clean);
}

export function buildAll({ clean = false } = {}) {
  build('limiter', clean);
  build('platform', clean);
  buildConsole({ clean });
}

/**
 * `tsc -b` decides what is stale; a clean build also drops what no longer has a source.
 *
 * @param {string} workspace
 * @param {boolean} clean
 */
function build(workspace, clean) {
  if (clean) rmSync(join(rootPath, workspace, 'dist'), { recursive: true, force: true });
  const compiler = join(rootPath, 'node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [compiler, '-b', join(rootPath, workspace)], {
    stdio: 'inherit',
  });
  if (done.status !== 0) throw new Error(`${workspace} does not compile (see above).`);
  for (const { from, to, only } of copied) {
    if (from.startsWith(`${workspace}/`)) copyFolder(from, to, only);
  }
}

/**
 * Touches only what differs: a node that was started before may be reading the rest.
 *
 * @param {string} from
 * @param {string} to
 * @param {readonly string[]} only
 */
function copyFolder(from, to, only) {
  const [source, target] = [join(rootPath, from), join(rootPath, to)];
  const wanted = listFiles(source).filter((path) => only.includes(extname(path)));
  for (const path of listFiles(target)) {
    if (!wanted.includes(path)) rmSync(join(target, path));
  }
  for (const path of wanted) {
    const text = readFileSync(join(source, path));
    const copy = join(target, path);
    if (existsSync(copy) && readFileSync(copy).equals(text)) continue;
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
}

/**
 * @param {string} folder
 * @returns {readonly string[]} the paths below it
 */
function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { encoding: 'utf8', recursive: true });
  return paths.filter((path) => statSync(join(folder, path)).isFile());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildAll({ clean: true });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
