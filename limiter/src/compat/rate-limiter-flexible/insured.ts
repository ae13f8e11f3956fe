import { StoreFailure } from '../../core/errors.ts';
import type { RateLimiterLike } from './options.ts';

/** When the store fails, whoever insures is asked the same; else the failure is the answer. */
export async function insured<T>(
  { insuranceLimiter }: { readonly insuranceLimiter: RateLimiterLike | undefined },
  ask: () => Promise<T>,
  instead: (insurance: RateLimiterLike) => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreFailure) || !insuranceLimiter) throw error;
    return instead(insuranceLimiter);
  }
}
