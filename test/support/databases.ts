import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../platform/src/database/index.ts';
import { copyFolder } from '../servers/embedded-templates.ts';
import { migratedTemplate, runOn } from '../servers/postgres-template.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';

export type DatabaseKind = 'postgres' | 'embedded';

export const databaseKinds: readonly DatabaseKind[] = ['postgres', 'embedded'];

/** Where an empty database is, for the test alone. */
export type DatabasePlace = {
  readonly options: DatabaseOptions;
  /** When nothing has it open any more. */
  readonly remove: () => Promise<void>;
};

/** Without tables, unless they are asked for to save the time they take. */
export async function makePlace(
  kind: DatabaseKind,
  { migrated = false } = {},
): Promise<DatabasePlace> {
  if (kind === 'embedded') {
    const { folder, remove } = await makeEmbeddedFolder({ migrated });
    return { options: { folder }, remove };
  }
  const { url, drop } = await (migrated
    ? migratedDatabase()
    : freshDatabase(inject('postgresUrl')));
  return { options: { url }, remove: drop };
}

export type PostgresDatabase = { readonly url: string; readonly drop: () => Promise<void> };

/** A new, empty database on a server that others use as well. */
export function freshDatabase(serverUrl: string): Promise<PostgresDatabase> {
  return makeDatabase(serverUrl, 'template1');
}

/** The same with all tables, on the server that tests share. */
export function migratedDatabase(): Promise<PostgresDatabase> {
  return makeDatabase(inject('postgresUrl'), migratedTemplate);
}

async function makeDatabase(serverUrl: string, template: string): Promise<PostgresDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(serverUrl, `drop database ${name} with (force)`) };
}

/** An embedded database that nobody has open. */
export async function makeEmbeddedFolder({ migrated = false } = {}): Promise<{
  readonly folder: string;
  readonly remove: () => Promise<void>;
}> {
  const templates = inject('embeddedTemplates');
  const parent = await createTemporaryFolder('embedded');
  const folder = join(parent, 'postgres');
  await copyFolder(migrated ? templates.migrated : templates.empty, folder);
  return { folder, remove: () => removeFolder(parent) };
}

/** A database with all its tables, alone with the suite, and what a test may do to it. */
export type DatabaseRig = {
  readonly kind: DatabaseKind;
  readonly database: Database;
  readonly options: DatabaseOptions;
  /** Closes it and opens it again, as a restart of the program does. */
  reopen(): Promise<void>;
};

/** Runs a suite on a real PostgreSQL and on the embedded one. */
export function onEveryDatabase(name: string, suite: (rig: DatabaseRig) => void): void {
  describe.each(databaseKinds)(`${name} (%s)`, (kind) => {
    let place: DatabasePlace | undefined;
    let database: Database | undefined;
    const open = async () => {
      place ??= await makePlace(kind, { migrated: true });
      database = await openDatabase(place.options);
    };
    beforeAll(open);
    afterAll(async () => {
      await database?.close();
      await place?.remove();
    });
    suite({
      kind,
      get database() {
        return opened(database);
      },
      get options() {
        return opened(place).options;
      },
      reopen: async () => {
        await database?.close();
        await open();
      },
    });
  });
}

function opened<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The database is open within tests and hooks only.');
  return value;
}
