import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, cp, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DatabaseOptions, migrate, openDatabase } from '../../platform/src/database/index.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

/** Folders of embedded databases, to be copied and never opened. */
export type EmbeddedTemplates = { readonly empty: string; readonly migrated: string };

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
const cachePath = join(rootPath, 'node_modules/.cache/sluice');
const programPath = join(rootPath, 'node_modules/@electric-sql/pglite/package.json');
const migrationsPath = join(rootPath, 'platform/migrations');

/** Made once for all runs: a new embedded database takes seconds, a copy of it does not. */
export async function prepareEmbeddedTemplates(): Promise<EmbeddedTemplates> {
  const empty = await findOrMake('empty', [programPath], async (folder) => {
    await (await openDatabase({ folder })).close();
  });
  const names = (await readdir(migrationsPath)).toSorted();
  const sources = [programPath, ...names.map((name) => join(migrationsPath, name))];
  const migrated = await findOrMake('migrated', sources, async (folder) => {
    await copyFolder(empty, folder);
    await applyMigrations({ folder });
  });
  return { empty, migrated };
}

export async function applyMigrations(options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(options);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

export async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** When a source changes, so does the name. */
async function findOrMake(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) digest.update(await readFile(source));
  const template = join(cachePath, `postgres-${name}-${digest.digest('hex').slice(0, 12)}`);
  if (await isThere(template)) return template;
  const parent = await createTemporaryFolder('template');
  await make(join(parent, 'postgres'));
  await mkdir(cachePath, { recursive: true });
  // It has its name only when it is complete; another run may have been quicker.
  const draft = `${template}-${randomUUID()}`;
  await copyFolder(join(parent, 'postgres'), draft);
  await removeFolder(parent);
  await rename(draft, template).catch(() => removeFolder(draft));
  return template;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
