import { Client } from 'pg';
import { applyMigrations } from './embedded-templates.ts';

/** A database with all tables on the shared server, to be copied and never opened. */
export const migratedTemplate = 'sluice_migrated';

/** Made once for all tests: to copy it is quicker than to migrate each anew. */
export async function makeMigratedTemplate(serverUrl: string): Promise<void> {
  await runOn(serverUrl, `create database ${migratedTemplate}`);
  const url = new URL(serverUrl);
  url.pathname = `/${migratedTemplate}`;
  await applyMigrations({ url: url.href });
}

export async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
