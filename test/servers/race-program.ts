import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
/** Below `node_modules`, so that packages are found from there. */
const outPath = join(rootPath, 'node_modules/.cache/sluice/races');
const program = 'test/races/child';
const lua = 'limiter/src/engines/redis/lua';

/**
 * The racing processes' program, translated once: dozens of them start, and each would translate
 * itself and the engine anew. Whether it is well typed is for others to say.
 */
export function buildRaceProgram(): string {
  mkdirSync(outPath, { recursive: true });
  writeFileSync(join(outPath, 'package.json'), '{"type":"module"}\n');
  const options = {
    noCheck: true,
    rootDir: rootPath,
    outDir: outPath,
    noEmit: false,
    incremental: false,
  };
  const config = {
    extends: join(rootPath, 'tsconfig.base.json'),
    compilerOptions: options,
    files: [join(rootPath, `${program}.ts`)],
  };
  const configPath = join(outPath, 'tsconfig.json');
  writeFileSync(configPath, JSON.stringify(config));
  const compiler = join(rootPath, 'node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [compiler, '-p', configPath], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program}.ts does not compile: ${done.stdout}`);
  const luaPath = join(outPath, lua);
  mkdirSync(dirname(luaPath), { recursive: true });
  if (!existsSync(luaPath)) symlinkSync(join(rootPath, lua), luaPath);
  return join(outPath, `${program}.js`);
}
