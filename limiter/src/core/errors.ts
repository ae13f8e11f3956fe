/** The caller passed something we cannot use; `field` says which part of it. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly code = 'invalid_input';
  readonly field: string;
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
    this.problem = problem;
  }
}

/** The same idempotency key came with another question. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
  readonly code = 'idempotency_conflict';

  constructor() {
    super(
      'idempotencyKey: this key was used with another question; use a new key for a new request',
    );
  }
}

/** The store did not answer, or not in time. Never a refusal: what follows is the failure policy. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly code = 'store_failure';
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`the store failed: ${reason}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** For who takes it as a value. What is no failure of the store is a mistake, and goes on. */
export function storeFailureIn(error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  throw error;
}

/**
 * As many calls are under way as may be, and there was no room in time. The store is well: whoever
 * asks so much is refused, or a flood would buy freedom from limits that fail open.
 */
export class CapacityFull extends StoreFailure {
  constructor() {
    super('in_flight_full');
  }
}
