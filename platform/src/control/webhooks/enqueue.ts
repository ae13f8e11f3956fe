import { sql, type Transaction } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../../database/tables.ts';

/** What a subscriber can be told of. */
export type OutgoingEvent = {
  readonly id: string;
  readonly type: string;
  readonly tenant_id: string;
};

/** A delivery for each who wants to hear of it: of the event's tenant, and of all tenants. */
export async function enqueue(
  tx: Transaction<Tables>,
  events: readonly OutgoingEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { rows } = await sql<{ readonly webhook_id: string; readonly event_id: string }>`
    SELECT w.id AS webhook_id, e.id AS event_id
    FROM unnest(${events.map(({ id }) => id)}::uuid[],
      ${events.map(({ type }) => type)}::text[],
      ${events.map(({ tenant_id: tenantId }) => tenantId)}::uuid[]) AS e (id, type, tenant_id)
    JOIN webhooks w ON e.type = ANY (w.events)
      AND (w.tenant_id = e.tenant_id OR w.tenant_id IS NULL)
    ORDER BY w.id, e.id FOR KEY SHARE OF w`.execute(tx);
  if (rows.length === 0) return;
  const byId = new Map(events.map((event) => [event.id, event]));
  const values = rows.map(({ webhook_id: webhookId, event_id: eventId }) => {
    const event = byId.get(eventId) as OutgoingEvent;
    const payload = JSON.stringify(event);
    return { id: uuidv7(), webhook_id: webhookId, event: event.type, payload };
  });
  await tx.insertInto('webhook_deliveries').values(values).execute();
}
