/** What a gateway asks: of each descriptor, may it do this much? */
export type RlsRequest = {
  readonly domain: string;
  readonly descriptors: readonly RlsDescriptor[];
};

/** Domains that begin so are tenants, by their ids. */
export const tenantPrefix = 'tenant:';

export type RlsDescriptor = {
  readonly entries: readonly RlsEntry[];
  /** Sent along instead of a configured limit. */
  readonly limit: { readonly requestsPerUnit: number; readonly unit: RlsUnit } | null;
  /** Already resolved: the descriptor's own, else the request's, else 1. 0 only looks. */
  readonly hits: number;
  /** Given back instead of taken. */
  readonly isRefund: boolean;
};

export type RlsEntry = { readonly key: string; readonly value: string };

export const rlsUnits = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type RlsUnit = (typeof rlsUnits)[number];

export type RlsAnswer = {
  readonly isOver: boolean;
  /** One for each descriptor, in order. */
  readonly statuses: readonly RlsStatus[];
  readonly responseHeaders: readonly RlsHeader[];
  readonly requestHeaders: readonly RlsHeader[];
  /** Body of the refusal; null leaves it to the gateway. */
  readonly body: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
};

export type RlsStatus = {
  readonly isOver: boolean;
  /** Null where no rule applies, or an unlimited one. */
  readonly limit: RlsShownLimit | null;
  readonly remaining: number;
  readonly resetSeconds: number | null;
  /** What the gateway may let pass by itself: taken already, and lost where it is not used. */
  readonly quota: RlsQuota | null;
};

export type RlsQuota = {
  readonly requests: number;
  /** Since 1970. */
  readonly validUntilSeconds: number;
  /** The same for all descriptors with one counter, and for no others. */
  readonly id: string;
};

export type RlsShownLimit = {
  readonly name: string | null;
  readonly requestsPerUnit: number;
  /** Null where the window is none of the units. */
  readonly unit: RlsUnit | null;
};

export type RlsHeader = { readonly name: string; readonly value: string };

/** Throws `RlsRefusal` for what can't be asked; never for a store that fails. */
export type RateLimitService = {
  ask(request: RlsRequest): Promise<RlsAnswer>;
  readonly isLoaded: boolean;
};

/** `invalid`: the request says nothing that could be decided. `not_loaded`: there are no rules yet. */
export type RlsRefusalCode = 'invalid' | 'not_loaded' | 'unavailable';

export class RlsRefusal extends Error {
  readonly code: RlsRefusalCode;

  constructor(code: RlsRefusalCode, message: string) {
    super(message);
    this.name = 'RlsRefusal';
    this.code = code;
  }
}
