import { shortId } from '../../components/tenants.ts';
import type { Tone } from '../../ui/Badge.tsx';

export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly noun: string;
  readonly object_id: string;
  readonly tenant_id: string | null;
  readonly request_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
};

/** What entries are about, and what one of it is called. */
export const nouns = {
  tenants: 'tenant',
  plans: 'plan',
  policies: 'policy',
  overrides: 'override',
  blocks: 'block',
  modes: 'mode',
  keys: 'key',
  tokens: 'token',
  quotas: 'quota',
  webhooks: 'webhook',
  counters: 'counter',
  decisions: 'subject',
  rollout: 'limit',
  pools: 'pool',
} as const;

const actions: Readonly<Record<string, { readonly done: string; readonly tone: Tone }>> = {
  create: { done: 'created', tone: 'good' },
  update: { done: 'changed', tone: 'accent' },
  delete: { done: 'deleted', tone: 'bad' },
  rotate: { done: 'rotated', tone: 'accent' },
  revoke: { done: 'revoked', tone: 'bad' },
  notice: { done: 'noticed', tone: 'neutral' },
  reset: { done: 'reset', tone: 'warning' },
  unblock: { done: 'unblocked', tone: 'warning' },
  erase: { done: 'erased', tone: 'bad' },
  promote: { done: 'promoted', tone: 'odd' },
  step_back: { done: 'stepped back', tone: 'warning' },
};

export function actionInWords(action: string): { readonly done: string; readonly tone: Tone } {
  return actions[action] ?? { done: action, tone: 'neutral' };
}

export function nounInWords(noun: string): string {
  return (nouns as Readonly<Record<string, string>>)[noun] ?? noun;
}

/** What the object is called, where it says so. */
export function titleOf({ before, after, object_id: id }: AuditEntry): string {
  const object = (after ?? before ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof object['threshold'] === 'number') {
    return `${String(object['entity'])} at ${object['threshold']} %`;
  }
  const called = [object['name'], object['limit'], object['quota'], object['resource']];
  return called.find((name) => typeof name === 'string') ?? shortId(id);
}
