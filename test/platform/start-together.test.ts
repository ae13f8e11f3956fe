import { sql } from 'kysely';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { freshDatabase } from '../support/databases.ts';
import { type RunningNode, startNode } from './rig/node.ts';

const body = { resource: 'GET:/hello', subject: 'me', cost: 0 };
const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean();
});

async function startTogether(count: number, folders: readonly string[]): Promise<RunningNode[]> {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  cleanUp.push(drop);
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      startNode({
        SLUICE_DATABASE_URL: url,
        SLUICE_REDIS_URL: inject('redisUrl'),
        SLUICE_DATA_DIR: folders[at % folders.length] as string,
        SLUICE_DEMO: 'on',
      }),
    ),
  );
  cleanUp.push(() => Promise.all(nodes.map((node) => node.stop())));
  return nodes;
}

async function newFolder(): Promise<string> {
  const folder = await createTemporaryFolder('data');
  cleanUp.push(() => removeFolder(folder));
  return folder;
}

describe.each([2, 4])('%i nodes that start at once on an empty database', (count) => {
  it('migrate once, share their secrets and seed one demo tenant', async () => {
    const folders = await Promise.all(Array.from({ length: count }, newFolder));
    const nodes = await startTogether(count, folders);
    const { db } = (nodes[0] as RunningNode).service.foundation.database;

    const secrets = nodes.map(({ service }) => JSON.stringify(service.foundation.secrets));
    expect(new Set(secrets).size).toBe(1);
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db);
    expect(rows.length).toBe(new Set(rows.map(({ name }) => name)).size);
    const tenants = await db.selectFrom('tenants').selectAll().execute();
    expect(tenants.map(({ name }) => name)).toEqual(['demo']);
    const plans = await db.selectFrom('plans').selectAll().execute();
    // One for each algorithm, and one for each tier.
    expect(new Set(plans.map(({ name }) => name)).size).toBe(6 + 4);
    expect(plans).toHaveLength(6 + 4);
    const { adminToken } = (nodes[0] as RunningNode).service;
    expect((await (nodes[0] as RunningNode).client.admin('GET', 'tenants')).status).toBe(200);
    expect(adminToken).toMatch(/^slt_/);
    // Whichever node prints a key, all of them know it.
    for (const { service } of nodes) {
      for (const { client } of nodes) {
        expect((await client.check(service.demo?.key ?? '', body)).status).toBe(200);
      }
    }
  });

  it('and on one folder have one admin token and one demo key', async () => {
    const nodes = await startTogether(count, [await newFolder()]);
    const tokens = new Set(nodes.map(({ service }) => service.adminToken));
    const keys = new Set(nodes.map(({ service }) => service.demo?.key));
    expect([tokens.size, keys.size]).toEqual([1, 1]);
    for (const { client } of nodes) {
      expect((await client.admin('GET', 'tenants')).status).toBe(200);
      expect((await client.check([...keys][0] ?? '', body)).status).toBe(200);
    }
  });
});
