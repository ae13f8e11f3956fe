import type { Selectable } from 'kysely';
import { InvalidInput } from 'sluice';
import { parseName } from 'sluice/core';
import type { BlocksTable } from '../../database/tables.ts';
import { type End, phaseOf } from '../lifetime.ts';
import { isoOf } from '../rows.ts';
import { isEverybody, parseNetwork } from './network.ts';

export const blockActions = ['block', 'bypass'] as const;
export type BlockAction = (typeof blockActions)[number];

export const blockStatuses = ['active', 'expired'] as const;
export type BlockStatus = (typeof blockStatuses)[number];

/** Who is meant, by one of these. */
export type Who = {
  readonly subject: string | null;
  /** A range of addresses, as CIDR. */
  readonly ip: string | null;
  readonly attribute: { readonly name: string; readonly value: string } | null;
  readonly key_id: string | null;
};

export type Block = Who & {
  readonly id: string;
  /** Null: of every tenant. */
  readonly tenant_id: string | null;
  readonly action: BlockAction;
  readonly expires_at: string | null;
  readonly status: BlockStatus;
  readonly reason: string;
  /** Who made it: the id of a token, or `bootstrap`. */
  readonly author: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type BlockPatch = End & { readonly action?: BlockAction; readonly reason?: string };

export type BlockInput = BlockPatch &
  Partial<Who> & { readonly tenant_id?: string | null; readonly reason: string };

export type BlockRow = Selectable<BlocksTable>;

const ways = ['subject', 'ip', 'attribute', 'key_id'] as const;

/** One of the ways to say it, and no more. */
export function parseWho(input: Partial<Who>, action: BlockAction): Who {
  const [named, other] = ways.filter((way) => input[way] !== undefined && input[way] !== null);
  if (named === undefined) {
    throw new InvalidInput(
      'subject',
      `is required, unless one of ${ways.slice(1).join(', ')} is given`,
    );
  }
  if (other !== undefined) throw new InvalidInput(other, `goes without ${named}: say one of them`);
  const { subject = null, ip = null, attribute = null, key_id: keyId = null } = input;
  if (attribute) parseName('attribute.name', attribute.name);
  return { subject, ip: ip === null ? null : rangeOf(ip, action), attribute, key_id: keyId };
}

function rangeOf(text: string, action: BlockAction): string {
  const range = parseNetwork('ip', text);
  if (!isEverybody(range)) return range;
  const instead = action === 'block' ? 'suspend the tenant' : 'set a mode';
  throw new InvalidInput('ip', `${range} is everybody; ${instead} instead`);
}

export function blockOf(row: BlockRow, nowMs = Date.now()): Block {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    subject: row.subject,
    ip: row.ip,
    attribute: row.attribute,
    key_id: row.key_id,
    action: row.action,
    expires_at: isoOf(row.expires_at),
    status: phaseOf(row, nowMs) === 'expired' ? 'expired' : 'active',
    reason: row.reason,
    author: row.author,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
