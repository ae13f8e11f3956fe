import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../../limiter/src/core/limit.ts';
import { limitOf } from '../../support/limits.ts';

let made = 0;

/** A limit for all tenants together, which no other test counts on. */
export function globalOf(input: LimitInput, more: Partial<LimitInput> = {}): Limit {
  made += 1;
  return limitOf({ name: `global-${made}`, ...input, per: ['global'], ...more } as LimitInput);
}
