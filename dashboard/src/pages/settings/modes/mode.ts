import type { Stored } from '../../../api/objects.ts';
import type { Tone } from '../../../ui/Badge.tsx';

export const scopes = ['platform', 'tenant', 'resource', 'policy', 'limit'] as const;
export type Scope = (typeof scopes)[number];

export const modes = ['off', 'shadow', 'warn', 'enforce'] as const;
export type Mode = (typeof modes)[number];

export type Target = {
  readonly scope: Scope;
  readonly tenant_id: string | null;
  readonly resource: string | null;
  readonly policy_id: string | null;
  readonly limit: string | null;
};

export type ModeEntry = Stored &
  Target & {
    readonly mode: Mode;
    readonly enforce_from: string | null;
    readonly confirm: boolean;
  };

/** Which fields say what is meant. */
export const fieldsOf: Readonly<Record<Scope, readonly (keyof Omit<Target, 'scope'>)[]>> = {
  platform: [],
  tenant: ['tenant_id'],
  resource: ['resource', 'tenant_id'],
  policy: ['policy_id'],
  limit: ['limit', 'tenant_id', 'policy_id'],
};

export const tones: Readonly<Record<Mode, Tone>> = {
  off: 'neutral',
  shadow: 'odd',
  warn: 'warning',
  enforce: 'good',
};

/** `limit requests of Acme`, `resource GET:/a`. */
export function targetInWords(target: Target, tenantName: (id: string) => string): string {
  const { scope, tenant_id: tenantId, resource, policy_id: policyId, limit } = target;
  if (scope === 'platform') return 'everything';
  const named = scope === 'policy' ? policyId : (limit ?? resource);
  const tenant = tenantId === null ? null : tenantName(tenantId);
  if (scope === 'tenant') return `tenant ${tenant}`;
  return `${scope} ${named}${tenant === null ? '' : ` of ${tenant}`}`;
}
