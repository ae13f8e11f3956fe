// Holds every source file to the table in rooms.ts.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findViolations, type SourceFile } from './room-violations.ts';
import { rooms } from './rooms.ts';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const folders = ['limiter/src', 'platform/migrations', 'platform/src', 'dashboard/src'];
const outsideFolders = ['test', 'benchmarks', 'examples'];
const sourcePattern = /\.(?:ts|tsx|mjs)$/;

const violations = findViolations([...folders, ...outsideFolders].flatMap(readSources), rooms);
for (const violation of violations) console.error(violation);
process.exitCode = violations.length === 0 ? 0 : 1;

function readSources(folder: string): SourceFile[] {
  const folderPath = join(rootPath, folder);
  if (!existsSync(folderPath)) return [];
  return readdirSync(folderPath, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && sourcePattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(`${sep}node_modules${sep}`))
    .map((path) => ({
      path: relative(rootPath, path).split(sep).join('/'),
      text: readFileSync(path, 'utf8'),
    }));
}
