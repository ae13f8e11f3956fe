import type { Sent } from '../changed-in.ts';
import { asItIs, chosen, instantOf, type Moment } from '../lifetime.ts';
import type { ApiKey, KeyScope } from '../objects.ts';

/** A key as it is typed. */
export type KeyDraft = {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly ending: Moment;
};

export const noDraft: KeyDraft = {
  name: '',
  scopes: ['check', 'settle', 'usage'],
  ending: chosen('never'),
};

export function draftOf({ name, scopes }: ApiKey): KeyDraft {
  return { name, scopes, ending: asItIs };
}

export function sentOf({ name, scopes, ending }: KeyDraft): Sent {
  return { name: name.trim(), scopes, expires_at: instantOf(ending) };
}
