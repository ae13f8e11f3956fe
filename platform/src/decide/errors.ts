/** What the caller may not do, or is not. The door says it in its own words. */

/** Who asks is not known, or no longer. Says nothing about why. */
export class Unauthenticated extends Error {
  override readonly name = 'Unauthenticated';
}

/** Too many unknown credentials came from this address. */
export class TooManyFailures extends Error {
  override readonly name = 'TooManyFailures';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('too many unknown credentials from this address');
    this.retryAfterMs = retryAfterMs;
  }
}

export class Denied extends Error {
  override readonly name = 'Denied';
  readonly code: 'scope_missing' | 'tenant_suspended';

  constructor(code: Denied['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}

export class UnknownPlan extends Error {
  override readonly name = 'UnknownPlan';

  constructor() {
    super('plan_id: this tenant has no such plan to choose');
  }
}
