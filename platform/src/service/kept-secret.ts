import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  try {
    // Fails when it is there: who comes second takes what the first one wrote.
    writeFileSync(path, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
