import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was given, else what the folder keeps, else a new one that the folder keeps from now on. */
export function keptSecret(
  folder: string,
  name: string,
  { given, make }: { readonly given: string | null; readonly make: () => string },
): string {
  if (given !== null) return given;
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  return read(path) ?? keep(path, make());
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/** It has its name only when it is complete; who comes second takes what the first one wrote. */
function keep(path: string, secret: string): string {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${secret}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
