import type { TrustedProxies } from '../../address/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { LimitInput } from '../../core/limit-input.ts';
import type { DecisionView, LimiterPort, RealCost } from '../../core/limiter-port.ts';
import type { Mode } from '../../core/limit.ts';
import type { HeaderOptions, HeaderProfile } from '../../headers/index.ts';
import type { ShieldOptions } from '../../shield/index.ts';
import type { RedisLimiterOptions } from '../../limiter/create-limiter.ts';

/** A value, or a function of the framework's own request; it may take its time. */
export type From<Native, T> = T | ((request: Native) => T | Promise<T>);

/** What a part of a key may come as. Absent is `undefined`, `null`, or an empty text. */
export type PartValue = string | number | bigint | null | undefined;

type PartFrom<Native> = (request: Native) => PartValue | Promise<PartValue>;

/**
 * Who is counted, in parts. What is named here is what one counter is for, unless a limit has a `per`
 * of its own. Default: the caller's address and the route.
 */
export type KeyParts<Native> = {
  /** Whose customer it is: tenants never affect each other. */
  readonly tenant?: PartFrom<Native>;
  /** Who calls: a user's id, the hash of a key. Run the middleware after authentication. */
  readonly user?: PartFrom<Native>;
  /** The caller's address; a function where the platform knows it better. */
  readonly ip?: boolean | PartFrom<Native>;
  /** The method and the route's template, such as `GET:/orders/:id`; never the raw path. */
  readonly route?: boolean;
  /** Anything else, by name: a team, a region. Limits may name them in `per` as `attributes.<name>`. */
  readonly attributes?: Readonly<Record<string, PartFrom<Native>>>;
};

/** A part of the key is absent: an error, counted by address, not limited, or counted together. */
export type OnMissing = 'error' | 'ip' | 'skip' | 'shared';

export type ModeWord = Mode | 'on' | 'monitor';

/** What may differ from route to route. */
export type RouteRules<Native> = {
  /** Further limits; one of a name that is taken replaces it. */
  readonly limits?: readonly LimitInput[];
  /** What a call takes, in requests. Default 1; 0 only looks. */
  readonly cost?: From<Native, number>;
  /** What it takes in other units. */
  readonly costs?: From<Native, Readonly<Record<string, number>>>;
  /** Routes of one group share their counters. */
  readonly group?: string;
  /** `off`, `shadow` (decided, nobody is told), `warn` (the caller is told) or `enforce`. */
  readonly mode?: From<Native, ModeWord>;
  /** A plan by name, of `plans` or of the service. */
  readonly plan?: From<Native, string | undefined>;
  /** True: this call is not limited. */
  readonly skip?: (request: Native) => boolean | Promise<boolean>;
  /** What to do with the delay that a limit with `backpressure` advises. Default `advise`: nothing. */
  readonly delay?: 'advise' | 'hold';
  /** Hold the cost until the response has ended, then settle what it really was. */
  readonly reserve?: ReserveRule<Native>;
  /** True: what was charged is given back, for this response should not count. */
  readonly refundIf?: (ended: Ended<Native>) => boolean | Promise<boolean>;
};

export type ReserveRule<Native> = {
  /** Given back, or kept, when nobody settles for this long. It is renewed while the call runs. */
  readonly ttlMs: number;
  readonly onExpiry?: 'refund' | 'keep';
  /** What it really cost; without it, what `rateLimit.settle` said, else what was reserved. */
  readonly settle?: (ended: Ended<Native>) => RealCost | Promise<RealCost>;
};

/** The shield's own options, and what makes two requests the same. */
export type ShieldRule<Native> = ShieldOptions & {
  /** True: who sends no key gets 400. */
  readonly required?: boolean;
  /** What is asked, where method, address and body are not what tells. */
  readonly fingerprint?: (request: Native) => string | Promise<string>;
};

/** How a response ended. */
export type Ended<Native> = {
  readonly request: Native;
  readonly status: number;
  /** False: the caller went away before all of it was sent. */
  readonly completed: boolean;
  readonly decision: DecisionView;
};

/** Who decides: a limiter of yours, or limits from which one is made. */
export type LimitSource = {
  /** Any limiter: in process, on Redis, or a client of the service. It stays yours to close. */
  readonly limiter?: LimiterPort;
  /** Limits, decided in process; with `redis` for all processes together. */
  readonly limits?: readonly LimitInput[];
  /** Sets of limits by name; `plan` says which applies besides `limits`. */
  readonly plans?: Readonly<Record<string, readonly LimitInput[]>>;
  /** An ioredis client, which stays yours to close. */
  readonly redis?: RedisLimiterOptions['redis'];
  /** Names in Redis are hashed under it. The same in every process. */
  readonly secret?: string;
  /** After this long without an answer the limits' `onStoreFailure` decides. Default 50. */
  readonly deadlineMs?: number;
  /** Tells these counters from those of others on one Redis. Default `limiter`. */
  readonly name?: string;
  /** Unix microseconds, in process: a fake one makes tests instant. */
  readonly clock?: Clock;
};

/** What a refused caller is told. */
export type Refusal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body: object | string;
  readonly contentType: string;
};

export type RateLimitOptions<Native> = LimitSource &
  RouteRules<Native> & {
    /** Who is counted. Default `{ ip: true, route: true }`. */
    readonly by?: KeyParts<Native>;
    /** When a part of `by` is absent. Default `error`: nobody shares a counter by accident. */
    readonly onMissing?: OnMissing;
    /** Behind how many proxies, or behind which, or as the framework is set. Default none. */
    readonly trustProxy?: TrustedProxies | 'framework';
    /** IPv6 addresses count by this many bits. Default 64. */
    readonly ipv6Prefix?: number;
    /** What is called, where the method and the route's template are not meant. */
    readonly resource?: (request: Native) => string | Promise<string>;
    /** Rules of single routes by resource, such as `POST:/search`; `false`: not limited. */
    readonly routes?: Readonly<Record<string, RouteRules<Native> | false>>;
    /** A profile, or all that `toHeaders` takes. */
    readonly headers?: HeaderProfile | HeaderOptions;
    /** Changes what a refused caller is told; what it does not return stays as it is. */
    readonly onRefused?: (
      request: Native,
      refusal: Refusal & { readonly decision: DecisionView },
    ) => Partial<Refusal> | undefined | Promise<Partial<Refusal> | undefined>;
    /** Hears of every decision. What it throws is nobody's business but `onError`'s. */
    readonly onDecision?: (request: Native, decision: DecisionView) => void;
    /** Hears of what went wrong after a decision: a release or settlement that failed. */
    readonly onError?: (error: unknown) => void;
    /** True: `Idempotency-Key` makes retries count once; or the name of another header. */
    readonly idempotencyKey?: boolean | string;
    /** The first success under an `Idempotency-Key` is kept, and is the answer to who asks again. */
    readonly shield?: true | ShieldRule<Native>;
    /** The longest that `delay: 'hold'` holds anybody. Default 10,000. */
    readonly holdMsMax?: number;
    /** How often open calls say that they are still at it. Default: a third of `staleAfter`. */
    readonly heartbeatMs?: number;
    /** A limiter that throws, against its promise: `open` lets through, `closed` refuses. Default `open`. */
    readonly onFailure?: 'open' | 'closed';
  };

/** Counts by route alone, for webhooks and public routes: `by: byRoute`. */
export const byRoute = { route: true } as const satisfies KeyParts<never>;

/** What every call is that no route was found for, whatever its path: they share one counter. */
export const unmatchedResource = '*unmatched';
