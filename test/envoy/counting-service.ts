import { createLimiter, fixedWindow } from 'sluice';
import {
  RlsRefusal,
  type RateLimitService,
  type RlsAnswer,
  type RlsDescriptor,
  type RlsRequest,
  type RlsStatus,
} from '../../platform/src/rls/ask.ts';

export const limitOfService = 3;

/** Counts three an hour for each descriptor. What is asked is kept, for tests to look at. */
export class CountingService implements RateLimitService {
  readonly asked: RlsRequest[] = [];
  isLoaded = true;
  /** Added to every answer. */
  extra: Partial<RlsAnswer> = {};
  /** Shown instead of the limit's own. */
  shown: Partial<NonNullable<RlsStatus['limit']>> = {};
  /** Said of every descriptor. */
  quota: RlsStatus['quota'] = null;
  /** Thrown instead of an answer. */
  failure: Error | null = null;
  /** What every answer waits for. */
  gate: Promise<unknown> | null = null;
  readonly #limiter = createLimiter({
    limits: [fixedWindow({ limit: limitOfService, window: '1 hour', align: 'first_request' })],
  });

  async ask(request: RlsRequest): Promise<RlsAnswer> {
    if (!this.isLoaded) throw new RlsRefusal('not_loaded', 'no rate limit configuration loaded');
    if (this.failure !== null) throw this.failure;
    this.asked.push(request);
    if (this.gate) await this.gate;
    const statuses = request.descriptors.map((one) => this.#status(request.domain, one));
    return {
      isOver: statuses.some(({ isOver }) => isOver),
      statuses,
      responseHeaders: [],
      requestHeaders: [],
      body: null,
      metadata: null,
      ...this.extra,
    };
  }

  #status(domain: string, { entries, hits }: RlsDescriptor): RlsStatus {
    const subject = entries.map(({ key, value }) => `${key}=${value}`).join(' ') || 'nobody';
    const decision = this.#limiter.checkSync({ resource: domain, subject, cost: hits });
    return {
      isOver: !decision.allowed,
      limit: { name: null, requestsPerUnit: limitOfService, unit: 'HOUR', ...this.shown },
      remaining: decision.remaining ?? 0,
      resetSeconds: 3600,
      quota: this.quota,
    };
  }
}
