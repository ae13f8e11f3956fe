/** The answer of a handler, as it is kept. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
};

/** Which request of whom: keys of one caller are nobody else's. */
export type ShieldRef = {
  readonly tenant: string;
  readonly caller: string;
  readonly key: string;
  /** Tells one question from another. */
  readonly fingerprint: string;
};

export type ShieldBegun =
  /** Nobody was here before: the handler is to run, under the lease that was asked for. */
  | { readonly kind: 'first' }
  /** It runs now; its lease ends in so long, unless it is renewed. */
  | { readonly kind: 'running'; readonly leftMs: number }
  /** It has run. */
  | { readonly kind: 'kept'; readonly answer: KeptAnswer }
  /** The key was used for another question. */
  | { readonly kind: 'conflict' };

/**
 * Where answers are kept under idempotency keys. Each step is atomic. Throws `StoreFailure` where it
 * could not be done. Whoever lost its lease finishes nothing.
 */
export type ShieldStore = {
  begin(ref: ShieldRef, lease: Lease): Promise<ShieldBegun>;
  /** False: the lease is another's by now. */
  renew(ref: ShieldRef, lease: Lease): Promise<boolean>;
  /** False: the lease is another's by now, or there is no room. */
  finish(ref: ShieldRef, kept: FinishedAnswer): Promise<boolean>;
  /** As if it had never begun: the next one runs. */
  abandon(ref: ShieldRef, token: string): Promise<void>;
};

export type Lease = { readonly token: string; readonly leaseMs: number };

export type FinishedAnswer = {
  readonly token: string;
  readonly answer: KeptAnswer;
  readonly keepMs: number;
};
