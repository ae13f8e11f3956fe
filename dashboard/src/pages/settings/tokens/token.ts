import type { Role, Stored } from '../../../api/objects.ts';

export type Token = Stored & {
  readonly name: string;
  readonly role: Role;
  readonly tenant_id: string | null;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
};
