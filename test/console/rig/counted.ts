import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import type { LedgerCount } from '../../../limiter/src/core/engine.ts';
import { Drainer } from '../../../platform/src/control/usage/drainer.ts';
import { openDatabase, type Tables } from '../../../platform/src/database/index.ts';

/** Resources that each have a line of their own, and how long they were asked for. */
export const busyDay = { tenant: 'Busy for a day', resources: 8, minutes: 24 * 60 } as const;

/** Usage of a tenant, written as a node writes what it finds in the store's ledger. */
export async function writeCounts(
  db: Kysely<Tables>,
  tenantId: string,
  counts: readonly LedgerCount[],
): Promise<void> {
  const ledger = {
    takeLedger: async () => ({ kind: 'taken', counts }) as const,
    dropLedger: async () => {},
  };
  await new Drainer(db, ledger).drain({ id: tenantId, generation: 0 });
}

/** A day of a busy tenant, minute by minute: more than tests could ask for. */
export async function writeBusyDay(folder: string): Promise<void> {
  const database = await openDatabase({ folder: join(folder, 'postgres') });
  try {
    const id = await makeTenant(database.db);
    const now = Math.floor(Date.now() / 60_000);
    for (let resource = 0; resource < busyDay.resources; resource += 1) {
      const counts = Array.from({ length: busyDay.minutes }, (_, ago): LedgerCount => ({
        minute: now - ago,
        outcome: 'allowed',
        label: `GET:/part-${resource} `,
        count: callsOf(resource, now - ago),
      }));
      await writeCounts(database.db, id, counts);
    }
  } finally {
    await database.close();
  }
}

/** Up and down with the hour, and never the same in two minutes that follow each other. */
function callsOf(resource: number, minute: number): number {
  const tide = Math.sin(((minute % 240) / 240) * 2 * Math.PI + resource);
  return 100 * (resource + 1) + Math.round(40 * tide) + (minute % 2) * 15;
}

async function makeTenant(db: Kysely<Tables>): Promise<string> {
  const id = randomUUID();
  await sql`
    INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch) VALUES (${id}, 1, 0)`.execute(db);
  const place = { timezone: 'UTC', billing_anchor_day: 1, plan_id: null, pool: null };
  await db
    .insertInto('tenants')
    .values({ id, name: busyDay.tenant, tier: 'business', status: 'active', ...place })
    .execute();
  return id;
}
