import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Tables, WebhooksTable } from '../../database/tables.ts';
import type { Actor } from '../actor.ts';
import { requireReach } from '../authorize.ts';
import type { Changed, Changes } from '../change.ts';
import { Forbidden } from '../errors.ts';
import { requireRoom, shared, whereOwner } from '../owned.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { found, isUuid, nextVersion, requireUuid, requireVersion } from '../rows.ts';
import { webhookSecret } from './secret.ts';
import {
  type Delivery,
  deliveryOf,
  type NewWebhook,
  parseWebhookUrl,
  type Webhook,
  type WebhookInput,
  webhookOf,
  type WebhookPatch,
} from './webhook.ts';

export type WebhookQuery = PageQuery & { readonly tenant_id?: string };

const roomFor = { tenant: 20, shared: 100 } as const;

/** Who is told of what happens. Of no concern to checks, so no epoch is raised. */
export class Webhooks {
  readonly #db: Kysely<Tables>;
  readonly #changes: Changes;
  readonly #secret: string;
  readonly #allowPrivate: boolean;

  constructor({
    db,
    changes,
    webhookSecret: secret,
    allowPrivate,
  }: {
    readonly db: Kysely<Tables>;
    readonly changes: Changes;
    /** Under it the webhooks' own are derived. */
    readonly webhookSecret: string;
    readonly allowPrivate: boolean;
  }) {
    this.#db = db;
    this.#changes = changes;
    this.#secret = secret;
    this.#allowPrivate = allowPrivate;
  }

  async list(actor: Actor, { tenant_id: owner, ...page }: WebhookQuery): Promise<Page<Webhook>> {
    let query = this.#db.selectFrom('webhooks').selectAll();
    if (actor.tenantId !== null) query = query.where('tenant_id', '=', actor.tenantId);
    if (owner !== undefined) query = query.where(whereOwner(owner));
    return readPage(query, { list: 'webhooks', page, by: 'id', isKey: isUuid, toItem: webhookOf });
  }

  async get(actor: Actor, id: string): Promise<Webhook> {
    const row = await this.#db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', requireUuid('webhook', id))
      .executeTakeFirst();
    const webhook = webhookOf(found('webhook', row));
    requireReach(actor, 'webhook', webhook.tenant_id);
    return webhook;
  }

  /** The newest first. */
  async deliveries(actor: Actor, id: string, page: PageQuery): Promise<Page<Delivery>> {
    await this.get(actor, id);
    const query = this.#db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', id);
    return readPage(query, {
      list: 'deliveries',
      page,
      by: 'id',
      order: 'desc',
      isKey: isUuid,
      toItem: deliveryOf,
    });
  }

  async create(actor: Actor, input: WebhookInput): Promise<Changed<NewWebhook>> {
    const { tenant_id: tenantId = null } = input;
    requireOwner(actor, tenantId);
    const url = parseWebhookUrl(input.url, { allowPrivate: this.#allowPrivate });
    const values = { tenant_id: tenantId, url, events: [...input.events] };
    const id = uuidv7();
    return this.#changes.make(actor, async (change) => {
      await keepOwner(change.tx, tenantId);
      await requireRoom(change.tx, { table: 'webhooks', tenantId, ...roomFor });
      const row = await change.tx
        .insertInto('webhooks')
        .values({ id, ...values })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = webhookOf(row);
      await change.note({ ...subject(after), action: 'create', after });
      return this.#withSecret(row);
    });
  }

  async update(
    actor: Actor,
    id: string,
    patch: WebhookPatch,
    expectedVersion: number | null,
  ): Promise<Changed<Webhook>> {
    await this.get(actor, id);
    const values = this.#parse(patch);
    return this.#changes.make(actor, async (change) => {
      const before = webhookOf(await lockWebhook(change.tx, id, expectedVersion));
      const row = await change.tx
        .updateTable('webhooks')
        .set({ ...values, ...nextVersion })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = webhookOf(row);
      await change.note({ ...subject(after), action: 'update', before, after });
      return after;
    });
  }

  async remove(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<undefined>> {
    await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      const before = webhookOf(await lockWebhook(change.tx, id, expectedVersion));
      await change.tx.deleteFrom('webhooks').where('id', '=', id).execute();
      await change.note({ ...subject(before), action: 'delete', before });
      return undefined;
    });
  }

  /** From the next delivery on, what waits included, the new secret signs. */
  async rotate(
    actor: Actor,
    id: string,
    expectedVersion: number | null,
  ): Promise<Changed<NewWebhook>> {
    await this.get(actor, id);
    return this.#changes.make(actor, async (change) => {
      const before = webhookOf(await lockWebhook(change.tx, id, expectedVersion));
      const row = await change.tx
        .updateTable('webhooks')
        .set({ secret_number: sql<number>`secret_number + 1`, ...nextVersion })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = webhookOf(row);
      await change.note({ ...subject(after), action: 'rotate', before, after });
      return this.#withSecret(row);
    });
  }

  /** Only what is named. */
  #parse({ url, events }: WebhookPatch) {
    const allowPrivate = this.#allowPrivate;
    return {
      ...(url !== undefined && { url: parseWebhookUrl(url, { allowPrivate }) }),
      ...(events !== undefined && { events: [...events] }),
    };
  }

  #withSecret(row: Row): NewWebhook {
    const { id, secret_number: secretNumber } = row;
    return { ...webhookOf(row), secret: webhookSecret(this.#secret, { id, secretNumber }) };
  }
}

type Row = Selectable<WebhooksTable>;

/** Who hears of all tenants hears of others than its own. */
function requireOwner(actor: Actor, tenantId: string | null): void {
  if (actor.tenantId !== null && tenantId === null) {
    throw new Forbidden("a tenant's token may only make webhooks of its tenant; give tenant_id");
  }
  requireReach(actor, 'tenant', tenantId);
}

/** Those of one owner are made one after another, so that room is counted right. */
async function keepOwner(tx: Transaction<Tables>, tenantId: string | null): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext(${`webhooks of ${tenantId ?? shared}`}))`.execute(
    tx,
  );
  if (tenantId === null) return;
  const query = tx.selectFrom('tenants').select('id').where('id', '=', tenantId).forKeyShare();
  requireUuid('tenant', tenantId);
  found('tenant', await query.executeTakeFirst());
}

async function lockWebhook(
  tx: Transaction<Tables>,
  id: string,
  expectedVersion: number | null,
): Promise<Row> {
  const query = tx.selectFrom('webhooks').selectAll().where('id', '=', id).forUpdate();
  const row = found('webhook', await query.executeTakeFirst());
  requireVersion('webhook', row, expectedVersion);
  return row;
}

function subject({ id, tenant_id: tenantId }: Webhook) {
  return { noun: 'webhooks', objectId: id, tenantId } as const;
}
