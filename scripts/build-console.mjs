// Bundles the console, and packs its files as browsers take them. Quick when nothing has changed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const builtPath = join(rootPath, 'dashboard/dist');
const digestPath = join(builtPath, 'sources.sha256');

/** All that its content depends on. */
const sources = [
  'dashboard/index.html',
  'dashboard/vite.config.ts',
  'dashboard/src',
  'limiter/src/core',
  'limiter/src/contract',
  'limiter/src/headers',
  'package-lock.json',
];

/** Fonts are packed already. */
const packable = ['.html', '.css', '.js', '.svg'];

export function buildConsole({ clean = false } = {}) {
  const digest = digestSources();
  if (!clean && existsSync(digestPath) && readFileSync(digestPath, 'utf8') === digest) return;
  rmSync(digestPath, { force: true });
  const bundler = join(rootPath, 'node_modules/vite/bin/vite.js');
  const done = spawnSync(
    process.execPath,
    [bundler, 'build', join(rootPath, 'dashboard'), '--logLevel', 'warn'],
    // Whoever asks, a test too: it is built for use.
    { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (done.status !== 0) throw new Error('dashboard does not build (see above).');
  for (const path of listFiles(builtPath)) pack(path);
  // Last: what was interrupted is built again.
  writeFileSync(digestPath, digest);
}

/** @param {string} path */
function pack(path) {
  if (!packable.includes(extname(path))) return;
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(content));
}

function digestSources() {
  const digest = createHash('sha256');
  for (const source of sources) {
    for (const path of listFiles(join(rootPath, source))) {
      if (path.endsWith('.test.ts')) continue;
      digest.update(`${path.slice(rootPath.length)}\n`).update(readFileSync(path));
    }
  }
  return digest.digest('hex');
}

/**
 * @param {string} path of a file or a folder
 * @returns {readonly string[]}
 */
function listFiles(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { encoding: 'utf8', recursive: true })
    .toSorted()
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());
}
