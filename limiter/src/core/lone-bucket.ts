import type { TokenBucketNumbers, TokenBucketState } from './algorithms/token-bucket.ts';
import type { Limit } from './limit.ts';
import { Lone } from './lone.ts';

/** A bucket whose tokens take whole microseconds each: no fraction is ever left over. */
export type WholeBucket = Limit & { readonly numbers: TokenBucketNumbers & { readonly tokens: 1 } };

export function isWholeBucket(limit: Limit): limit is WholeBucket {
  return limit.numbers.algorithm === 'token_bucket' && limit.numbers.tokens === 1;
}

/** One bucket. What it shows are the sums of `tokenBucket.show`, without fractions. */
export class LoneBucket extends Lone {
  declare readonly limit: WholeBucket;
  declare readonly emptyAtUs: number;

  constructor(
    limit: WholeBucket,
    cost: number,
    nowUs: number,
    emptyAtUs: number,
    fits: boolean,
    resource: string,
    subject: string,
    tenant: string,
  ) {
    super(limit, cost, nowUs, fits, resource, subject, tenant);
    this.emptyAtUs = emptyAtUs;
  }

  get used(): number {
    return this.limit.size - inBucket(this);
  }

  get remaining(): number {
    return Math.max(0, inBucket(this));
  }

  get resetAtUs(): number {
    return this.emptyAtUs + this.limit.numbers.fillUs;
  }

  get retryAfterUs(): number {
    return this.fits ? 0 : this.emptyAtUs + this.cost * this.limit.numbers.perUs - this.nowUs;
  }

  get state(): TokenBucketState {
    return { emptyAtUs: this.emptyAtUs, fraction: 0 };
  }
}

function inBucket({ limit, nowUs, emptyAtUs }: LoneBucket): number {
  return Math.floor((nowUs - emptyAtUs) / limit.numbers.perUs);
}
