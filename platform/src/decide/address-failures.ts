import { createLimiter, tokenBucket, type SyncLimiter } from 'sluice';
import { addressGroup, parseAddress } from 'sluice/address';
import { TooManyFailures } from './errors.ts';

const capacity = 20;
const refillPerSecond = 0.5;
const addressesMax = 100_000;

/**
 * Limits who guesses credentials, by address, before anything is looked up. Only failures count, so
 * that a valid caller behind the same address goes on once it is known.
 */
export class AddressFailures {
  readonly #limiter: SyncLimiter;

  constructor() {
    this.#limiter = createLimiter({
      name: 'address-failures',
      limits: [tokenBucket({ capacity, refillPerSecond, per: ['subject'] })],
      countersMax: addressesMax,
    });
  }

  /** What to answer an address that has failed too often, before anything is looked up for it. */
  limitOf(address: string): TooManyFailures | null {
    const { remaining } = this.#limiter.checkSync({ ...attempt(address), cost: 0 });
    return remaining === 0 ? tooMany() : null;
  }

  /** One more; and what to answer when it is one too many. */
  count(address: string): TooManyFailures | null {
    return this.#limiter.checkSync(attempt(address)).allowed ? null : tooMany();
  }

  close(): Promise<void> {
    return this.#limiter.close();
  }
}

function tooMany(): TooManyFailures {
  return new TooManyFailures(1000 / refillPerSecond);
}

function attempt(address: string) {
  return { resource: 'credential', subject: networkOf(address) };
}

/** IPv6 by /64: whoever has one address has them all. IPv4 in IPv6 form is IPv4. */
export function networkOf(address: string): string {
  // As nearly always: one spelling already.
  if (!address.includes(':')) return address;
  const parsed = parseAddress(address);
  return parsed ? addressGroup(parsed, 64) : address;
}
