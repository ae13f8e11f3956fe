import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../../platform/src/database/index.ts';
import type { Receipt } from '../../../platform/src/evidence/index.ts';
import type { Body, NodeClient } from '../rig/client.ts';
import type { RunningNode } from '../rig/node.ts';

/** The receipt of an answer, once it is written. */
export async function receiptFor(
  client: NodeClient,
  { decision_id: id }: Pick<Body, 'decision_id'>,
): Promise<Receipt> {
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 50) {
    const answer = await client.admin('GET', `decisions/${String(id)}`);
    if (answer.status === 200) return answer.body as unknown as Receipt;
    if (answer.status !== 404) throw new Error(answer.text);
    await sleep(50);
  }
  throw new Error(`There is no receipt of ${String(id)}.`);
}

/** All receipts that a filter finds, page by page. */
export async function receiptsOf(client: NodeClient, filter: string): Promise<Receipt[]> {
  const items: Receipt[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await client.change('GET', `decisions?limit=200&${filter}${next}`);
    items.push(...(page.items as Receipt[]));
    cursor = page.next_cursor as string | null;
  } while (cursor !== null);
  return items;
}

/** Until nothing that was decided so far waits to be written: what comes last is written last. */
export async function untilWritten(client: NodeClient): Promise<void> {
  const { id, key } = await client.makeTenant();
  await client.change('POST', 'blocks', { tenant_id: id, subject: 'last', reason: 'a test' });
  const { body } = await client.check(key, { resource: 'r', subject: 'last' });
  await receiptFor(client, body);
}

/** How many decisions this node gave no receipt, for want of room. */
export async function droppedBy({ client }: RunningNode): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^rl_receipts_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** The tables that have a text somewhere in them, however deep. */
export async function tablesWith(db: Kysely<Tables>, text: string): Promise<string[]> {
  const { rows } = await sql<{ readonly name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`.execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await sql`
      SELECT FROM ${sql.table(name)} t WHERE strpos(t::text, ${text}) > 0 LIMIT 1`.execute(db);
    if (hits.length > 0) found.push(name);
  }
  return found;
}

/** What is refused from now on is not counted on what was. */
export async function untilNextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await sleep(5);
}
