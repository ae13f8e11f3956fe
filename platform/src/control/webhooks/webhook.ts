import { isIP } from 'node:net';
import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../database/tables.ts';
import { isoOf } from '../rows.ts';
import { isPublicAddress } from './public-address.ts';

export const webhookEvents = ['quota.threshold'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** What may be told of a webhook: not its secret. */
export type Webhook = {
  readonly id: string;
  /** Null: hears of all tenants. */
  readonly tenant_id: string | null;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** Told once, to who made it. */
export type NewWebhook = Webhook & { readonly secret: string };

export type WebhookPatch = {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
};

export type WebhookInput = Required<WebhookPatch> & { readonly tenant_id?: string | null };

export const deliveryStatuses = ['waiting', 'delivered', 'failed'] as const;

export type Delivery = {
  readonly id: string;
  readonly event: string;
  readonly status: (typeof deliveryStatuses)[number];
  readonly attempts: number;
  /** Null once it is over. */
  readonly next_at: string | null;
  readonly delivered_at: string | null;
  readonly failed_at: string | null;
  readonly last_problem: string | null;
  readonly created_at: string;
};

export const urlLengthMax = 2048;

/**
 * An address that we would call. What its name leads to is looked at when it is called, for names
 * come to lead elsewhere.
 */
export function parseWebhookUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || text.length > urlLengthMax || /[\s\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidInput('url', `must be an address of at most ${urlLengthMax} characters`);
  }
  const isHttp = url.protocol === 'http:' && allowPrivate;
  if (url.protocol !== 'https:' && !isHttp) {
    throw new InvalidInput('url', 'must begin with https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInput('url', 'must have no user and no password; what we send is signed');
  }
  if (!allowPrivate && isPrivateHost(url.hostname)) {
    throw new InvalidInput('url', 'must be a public address');
  }
  return text;
}

function isPrivateHost(hostname: string): boolean {
  const host = hostOf(hostname);
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return /(^|\.)localhost\.?$/i.test(host);
}

/** Without the brackets that stand around IPv6 in an address. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

export function webhookOf(row: Selectable<WebhooksTable>): Webhook {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    url: row.url,
    events: row.events as WebhookEvent[],
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}

export function deliveryOf(row: Selectable<WebhookDeliveriesTable>): Delivery {
  const isOver = row.delivered_at !== null || row.failed_at !== null;
  return {
    id: row.id,
    event: row.event,
    status: row.delivered_at ? 'delivered' : row.failed_at ? 'failed' : 'waiting',
    attempts: row.attempts,
    next_at: isOver ? null : isoOf(row.next_at),
    delivered_at: isoOf(row.delivered_at),
    failed_at: isoOf(row.failed_at),
    last_problem: row.last_problem,
    created_at: isoOf(row.created_at),
  };
}
