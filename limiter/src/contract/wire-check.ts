/** The question, as JSON. The tenant is not part of it: the API key says who asks. */
export type WireCheck = {
  readonly resource: string;
  readonly subject: string;
  /** Default: the policy's, else 1. */
  readonly cost?: number;
  readonly costs?: Readonly<Record<string, number>>;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly plan_id?: string;
  readonly idempotency_key?: string;
  readonly reserve?: { readonly ttl_ms: number; readonly on_expiry?: 'refund' | 'keep' };
};
