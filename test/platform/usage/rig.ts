import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../../../limiter/src/core/engine.ts';
import { Drainer, type LedgerStore } from '../../../platform/src/control/usage/drainer.ts';
import type { Step } from '../../../platform/src/control/usage/usage-lines.ts';
import { type Database, openDatabase, type Tables } from '../../../platform/src/database/index.ts';
import { type DatabasePlace, makePlace } from '../../support/databases.ts';
import { openClusterStore, openStore } from '../../support/store.ts';
import { MemoryEngine } from '../../../limiter/src/engines/memory/index.ts';

export const nowMinute = () => Math.floor(Date.now() / 60_000);

/** A tenant as the control plane leaves it, without the rest of a node. */
export async function makeTenantRow(db: Kysely<Tables>, id: string = randomUUID()) {
  await sql`INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch) VALUES (${id}, 1, 1)`.execute(
    db,
  );
  await db
    .insertInto('tenants')
    .values({
      id,
      name: 'acme',
      tier: 'free',
      plan_id: null,
      status: 'active',
      timezone: 'UTC',
      billing_anchor_day: 1,
      pool: null,
    })
    .execute();
  return { id, generation: 0 };
}

/** All that was counted of a tenant in rows of one step: `allowed` of calls, `limit allowed` of limits. */
export async function countsOf(
  db: Kysely<Tables>,
  tenantId: string,
  step: Step = 'minute',
): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT trim(limit_name || ' ' || outcome) AS name, sum(count)::bigint AS count
    FROM usage_counts WHERE tenant_id = ${tenantId} AND step = ${step}
    GROUP BY 1 ORDER BY 1`.execute(db);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

export const ledgerKinds = [
  'embedded, memory',
  'PostgreSQL, Redis',
  'PostgreSQL, Redis Cluster',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

export type LedgerRig = {
  readonly kind: LedgerKind;
  readonly db: Kysely<Tables>;
  readonly engine: Engine;
  /** Another node's view of the same; the very same where there can be but one node. */
  readonly other: { readonly db: Kysely<Tables>; readonly engine: Engine };
  drainer(engine?: LedgerStore): Drainer;
};

/** A database and a store, alone with the suite. */
export function onEveryLedger(
  name: string,
  suite: (rig: LedgerRig) => void,
  kinds: readonly LedgerKind[] = ledgerKinds,
): void {
  describe.each(kinds)(`${name} (%s)`, (kind) => {
    let place: DatabasePlace;
    const databases: Database[] = [];
    const closing: (() => unknown)[] = [];
    let engine: Engine;
    beforeAll(async () => {
      place = await makePlace(kind === 'embedded, memory' ? 'embedded' : 'postgres', {
        migrated: true,
      });
      databases.push(await openDatabase(place.options));
      if (kind !== 'embedded, memory') databases.push(await openDatabase(place.options));
      const store = openEngine(kind);
      engine = store.engine;
      closing.push(store.close);
    });
    afterAll(async () => {
      for (const close of closing) await close();
      for (const database of databases) await database.close();
      await place.remove();
    });
    const dbAt = (at: number) => {
      const database = databases[at] ?? databases[0];
      if (!database) throw new Error('The database is open within tests and hooks only.');
      return database.db;
    };
    suite({
      kind,
      get db() {
        return dbAt(0);
      },
      get engine() {
        return engine;
      },
      get other() {
        return { db: dbAt(1), engine };
      },
      drainer: (through = engine) => new Drainer(dbAt(0), through),
    });
  });
}

function openEngine(kind: LedgerKind): { readonly engine: Engine; readonly close: () => unknown } {
  if (kind === 'PostgreSQL, Redis') return openStore();
  if (kind === 'PostgreSQL, Redis Cluster') return openClusterStore();
  const engine = new MemoryEngine();
  return { engine, close: () => engine.close() };
}
