import {
  RlsRefusal,
  type RateLimitService,
  type RlsAnswer,
  type RlsDescriptor,
  type RlsRequest,
} from './ask.ts';
import { requestBounds, uint32Max } from './bounds.ts';
import type { RlsConfig } from './config/tree.ts';
import type { Domains } from './domains.ts';
import type { RlsStats } from './stats.ts';
import type { TenantDomains } from './tenant-domains.ts';

export type RlsServiceParts = {
  /** Null: there is no source of rules. */
  readonly config: { readonly config: RlsConfig | null } | null;
  readonly domains: Domains;
  /** Null where domains can't be tenants. */
  readonly tenants: TenantDomains | null;
  readonly stats: Pick<RlsStats, 'failed'>;
};

/** What a gateway asks, whoever answers: configured rules, or a tenant's plan. */
export class RlsService implements RateLimitService {
  readonly #parts: RlsServiceParts;

  constructor(parts: RlsServiceParts) {
    this.#parts = parts;
  }

  /** Whether there is anything to decide by. */
  get isLoaded(): boolean {
    const { config, tenants } = this.#parts;
    return tenants !== null || (config?.config?.size ?? 0) > 0;
  }

  async ask(request: RlsRequest): Promise<RlsAnswer> {
    const problem = problemOf(request);
    if (problem) throw this.#refused('invalid', problem);
    const { tenants, domains, config } = this.#parts;
    const tenant = tenants?.tenantIn(request.domain);
    if (tenants && tenant) return tenants.ask(tenant, request);
    if (config && !config.config) {
      throw this.#refused('not_loaded', 'no rate limit configuration loaded');
    }
    return domains.ask(config?.config ?? none, request);
  }

  #refused(code: 'invalid' | 'not_loaded', message: string): RlsRefusal {
    this.#parts.stats.failed('service_error');
    return new RlsRefusal(code, message);
  }
}

const none: RlsConfig = new Map();
const { domainBytes, keyBytes, valueBytes } = requestBounds;

/** Null for one that can be decided. Every part of it is bounded. */
function problemOf({ domain, descriptors }: RlsRequest): string | null {
  if (domain === '') return 'rate limit domain must not be empty';
  if (!isText(domain, domainBytes)) return `domain must be at most ${domainBytes} characters`;
  if (descriptors.length === 0) return 'rate limit descriptor list must not be empty';
  if (descriptors.length > requestBounds.descriptors) {
    return `at most ${requestBounds.descriptors} descriptors are decided together, got ${descriptors.length}`;
  }
  for (const descriptor of descriptors) {
    const problem = problemIn(descriptor);
    if (problem) return problem;
  }
  return null;
}

function problemIn({ entries, hits, limit }: RlsDescriptor): string | null {
  if (entries.length > requestBounds.entries)
    return `a descriptor has at most ${requestBounds.entries} entries`;
  for (const { key, value } of entries) {
    if (key === '' || !isText(key, keyBytes)) {
      return `an entry's key must have 1 to ${keyBytes} characters`;
    }
    if (!isText(value, valueBytes)) {
      return `an entry's value must have at most ${valueBytes} characters`;
    }
  }
  if (!isCount(hits)) return `hits must be a whole number from 0 to ${uint32Max}`;
  if (limit && !isCount(limit.requestsPerUnit)) {
    return `requests_per_unit must be a whole number from 0 to ${uint32Max}`;
  }
  return null;
}

/** Well-formed too: two texts with half a character would share a counter. */
function isText(text: string, lengthMax: number): boolean {
  return text.length <= lengthMax && text.isWellFormed();
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= uint32Max;
}
