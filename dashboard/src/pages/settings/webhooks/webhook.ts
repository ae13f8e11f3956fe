import type { Stored } from '../../../api/objects.ts';

export type Webhook = Stored & {
  readonly tenant_id: string | null;
  readonly url: string;
  readonly events: readonly string[];
};

export type Delivery = {
  readonly id: string;
  readonly event: string;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly last_problem: string | null;
  readonly created_at: string;
};
