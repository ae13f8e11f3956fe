// Compiles the library, incrementally, and puts the Lua scripts where the compiled code reads them.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const sourcePath = join(rootPath, 'limiter/src');
const outputPath = join(rootPath, 'limiter/dist');

/** `tsc -b` decides what is stale; a clean build also drops what no longer has a source. */
export function buildLimiter({ clean = false } = {}) {
  if (clean) rmSync(outputPath, { recursive: true, force: true });
  const compiler = join(rootPath, 'node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [compiler, '-b', join(rootPath, 'limiter')], {
    stdio: 'inherit',
  });
  if (done.status !== 0) throw new Error('The library does not compile (see above).');
  copyLuaScripts();
}

function copyLuaScripts() {
  const luaPath = 'engines/redis/lua';
  if (!existsSync(join(sourcePath, luaPath))) return;
  rmSync(join(outputPath, luaPath), { recursive: true, force: true });
  cpSync(join(sourcePath, luaPath), join(outputPath, luaPath), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || extname(path) === '.lua',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildLimiter({ clean: true });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
