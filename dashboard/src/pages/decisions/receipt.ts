import type { WireBlockedBy, WireLimitDecision } from 'sluice/contract';
import type { Tone } from '../../ui/Badge.tsx';
import { count } from '../../ui/words.ts';

export const outcomes = ['allowed', 'blocked', 'warned', 'shadowed', 'degraded'] as const;

/** What became of one check, as the API tells it. */
export type Receipt = {
  readonly decision_id: string;
  readonly at: string;
  readonly what_happened: string;
  readonly what_to_do: string;
  readonly tenant: { readonly id: string; readonly name: string };
  readonly subject: string;
  readonly subject_hash: string;
  readonly resource: string;
  readonly route: string;
  readonly request_id: string | null;
  readonly outcome: string;
  readonly allowed: boolean;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly basis: string;
  readonly degraded_reason: string | null;
  readonly blocked_by: WireBlockedBy | null;
  readonly would_block: readonly string[];
  readonly retry_after_ms: number | null;
  readonly clears_at: string | null;
  readonly plan_id: string | null;
  readonly policy: string | null;
  readonly epoch: { readonly tenant: number; readonly shared: number };
  readonly limits: readonly ReceiptLimit[];
  readonly repeats: number;
  readonly last_at: string;
};

export type ReceiptLimit = WireLimitDecision & {
  readonly per: readonly string[];
  readonly numbers: Readonly<Record<string, number | string>>;
  readonly enforce_from: string | null;
};

const words: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  allowed: { label: 'Allowed', tone: 'good' },
  blocked: { label: 'Refused', tone: 'bad' },
  warned: { label: 'Allowed with a warning', tone: 'warning' },
  shadowed: { label: 'Allowed; a shadow limit would refuse', tone: 'odd' },
  degraded: { label: 'Decided without the store', tone: 'neutral' },
};

export function outcomeInWords(outcome: string): { readonly label: string; readonly tone: Tone } {
  return words[outcome] ?? { label: outcome, tone: 'neutral' };
}

/** What a limit is made of: `limit 100, window_seconds 60`. */
export function numbersInWords(numbers: ReceiptLimit['numbers']): string {
  return Object.entries(numbers)
    .map(([name, value]) => {
      const shown = typeof value === 'number' ? count(value) : value;
      return `${name.replaceAll('_', ' ')} ${shown}`;
    })
    .join(', ');
}

/** To be passed on as it is: nothing in it is known to the platform alone. */
export function supportText(receipt: Receipt): string {
  const limits = receipt.limits.map(
    ({ name, used, limit, remaining, mode }) =>
      `- ${name} (${mode}): ${used} of ${limit} used, ${remaining} left`,
  );
  return [
    `Decision ${receipt.decision_id}`,
    '',
    receipt.what_happened,
    receipt.what_to_do,
    '',
    `Tenant: ${receipt.tenant.name}`,
    `Resource: ${receipt.resource}`,
    `Subject: ${receipt.subject}`,
    `Cost: ${receipt.cost}`,
    ...(receipt.clears_at === null ? [] : [`Clears at: ${receipt.clears_at}`]),
    ...(receipt.request_id === null ? [] : [`Request: ${receipt.request_id}`]),
    ...(limits.length === 0 ? [] : ['Limits:', ...limits]),
  ].join('\n');
}
