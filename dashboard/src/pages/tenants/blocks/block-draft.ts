import { asItIs, chosen, instantOf, type Moment } from '../lifetime.ts';
import type { Sent } from '../changed-in.ts';
import type { Block } from '../objects.ts';

/** What can be said of a block besides whom it is for, as it is typed. */
export type BlockDraft = {
  readonly action: Block['action'];
  readonly ending: Moment;
  readonly reason: string;
};

export const noDraft: BlockDraft = { action: 'block', ending: chosen('day'), reason: '' };

export function draftOf({ action, reason }: Block): BlockDraft {
  return { action, reason, ending: asItIs };
}

export function sentOf({ action, ending, reason }: BlockDraft): Sent {
  return { action, reason: reason.trim(), expires_at: instantOf(ending) };
}

/** Who is meant. */
export function whoInWords({ subject, ip, attribute, key_id: keyId }: Block): string {
  if (attribute) return `${attribute.name}=${attribute.value}`;
  return subject ?? ip ?? `key ${keyId}`;
}
