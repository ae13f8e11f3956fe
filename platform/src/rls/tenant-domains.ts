import { toHeaders, type Deadline, type HeaderProfile } from 'sluice';
import {
  Decision,
  InvalidInput,
  parseName,
  parseText,
  StoreFailure,
  type Engine,
  type Limit,
} from 'sluice/core';
import { isUuid } from '../control/rows.ts';
import {
  Denied,
  normalizeResource,
  UnknownTenant,
  type Checked,
  type CheckInput,
  type Decider,
} from '../decide/index.ts';
import type { CheckSink } from '../observe/index.ts';
import {
  RlsRefusal,
  tenantPrefix,
  type RlsAnswer,
  type RlsDescriptor,
  type RlsHeader,
  type RlsRequest,
  type RlsStatus,
} from './ask.ts';
import { AfterResponse } from './decide/after-response.ts';
import { uint32Max } from './bounds.ts';
import { unitOf } from './decide/rule-limits.ts';
import { noRule } from './decide/status.ts';
import { requestDeadline } from './request-deadline.ts';
import type { RlsSettings } from './settings.ts';
import type { RlsStats } from './stats.ts';

export type TenantDomainsParts = {
  readonly decider: Pick<Decider, 'together'>;
  readonly engine: Pick<Engine, 'refund' | 'debit'>;
  /** Whoever is told of checks. */
  readonly observer: () => CheckSink | null;
  readonly stats: Pick<RlsStats, 'failed' | 'domainNotFound' | 'letThrough'>;
  readonly settings: RlsSettings;
  readonly headerProfile: HeaderProfile;
  readonly isUnavailable: (error: unknown) => boolean;
};

const subjectDefault = 'anonymous';
const resourceDefault = 'default';
const resourceLengthMax = 2048;
const textLengthMax = 1024;
/** Nobody sends these again: long enough that no two can be taken for one. */
const rememberMs = 1000;

/**
 * Domains that are tenants: `tenant:<id>` is decided by that tenant's plan, policies, overrides and
 * modes, as its checks over HTTP are. All descriptors of a request are one question.
 */
export class TenantDomains {
  readonly #parts: TenantDomainsParts;
  readonly #deadline: Deadline;
  readonly #afterResponse = new AfterResponse();

  constructor(parts: TenantDomainsParts) {
    this.#parts = parts;
    this.#deadline = requestDeadline(parts.settings);
  }

  /** The tenant that a domain names, if it names one. */
  tenantIn(domain: string): string | null {
    if (!domain.startsWith(tenantPrefix)) return null;
    const id = domain.slice(tenantPrefix.length).toLowerCase();
    return isUuid(id) ? id : null;
  }

  async ask(tenantId: string, request: RlsRequest): Promise<RlsAnswer> {
    const startedMs = performance.now();
    try {
      const { descriptors } = request;
      const inputs = descriptors.map(inputOf);
      const checks = await this.#deadline.run(this.#decide(tenantId, descriptors, inputs));
      const durationUs = (performance.now() - startedMs) * 1000;
      return this.#answer(checks, durationUs);
    } catch (error) {
      return this.#whenUndecided(error, request);
    }
  }

  /** What is given back first, for it may make room for the rest. */
  async #decide(
    tenantId: string,
    descriptors: readonly RlsDescriptor[],
    inputs: readonly CheckInput[],
  ): Promise<readonly Checked[]> {
    const isRefund = (_input: CheckInput, at: number) => isGivingBack(descriptors[at]);
    const refunds = inputs.filter(isRefund);
    const others = inputs.filter((input, at) => !isRefund(input, at));
    const done = new Map<CheckInput, Checked>();
    for (const checked of await this.#together(tenantId, refunds)) done.set(checked.input, checked);
    for (const [at, input] of inputs.entries()) {
      const checked = done.get(input);
      if (checked) await this.#giveBack(checked, descriptors[at]?.hits ?? 0);
    }
    const taken = await this.#together(tenantId, others);
    for (const checked of taken) done.set(checked.input, checked);
    await this.#charge(tenantId, descriptors, inputs, done);
    return inputs.map((input) => done.get(input) as Checked);
  }

  async #together(tenantId: string, inputs: readonly CheckInput[]): Promise<readonly Checked[]> {
    if (inputs.length === 0) return [];
    const asker = { credential: { id: tenantId, secret: '' }, address: '', scope: 'check' };
    const outcomes = await this.#parts.decider.together(asker, inputs);
    return outcomes.map((outcome) => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  }

  async #giveBack({ decision, snapshot }: Checked, hits: number): Promise<void> {
    const { question, answer } = Decision.factsOf(decision);
    const limits = question.limits.flatMap((bound) =>
      bound.limit.unit === 'requests' ? [{ ...bound, cost: hits }] : [],
    );
    if (limits.length === 0 || decision.basis !== 'exact') return;
    const { id } = question;
    const chargedAtUs = answer.nowUs;
    await this.#parts.engine.refund(snapshot.ref, { id, chargedAtUs, limits, rememberMs });
  }

  /** What has happened counts, though it was refused. */
  async #charge(
    tenantId: string,
    descriptors: readonly RlsDescriptor[],
    inputs: readonly CheckInput[],
    done: ReadonlyMap<CheckInput, Checked>,
  ): Promise<void> {
    const isRefused = [...done.values()].some(({ decision }) => !decision.allowed);
    for (const [at, input] of inputs.entries()) {
      const descriptor = descriptors[at] as RlsDescriptor;
      const isAfter = this.#afterResponse.isSo(tenantId, descriptor);
      const checked = done.get(input);
      if (!isAfter || !isRefused || !checked || isGivingBack(descriptor)) continue;
      const { question } = Decision.factsOf(checked.decision);
      const limits = question.limits.filter(({ limit, cost }) => limit.enforced && cost > 0);
      if (limits.length === 0 || checked.decision.basis !== 'exact') continue;
      const { id } = question;
      await this.#parts.engine.debit(checked.snapshot.ref, { id, limits, rememberMs });
    }
  }

  #answer(checks: readonly Checked[], durationUs: number): RlsAnswer {
    const { settings, stats, headerProfile } = this.#parts;
    for (const checked of checks) this.#tell(checked, durationUs);
    const refused = checks.find(({ decision }) => !decision.allowed);
    if (refused && settings.isShadow) stats.letThrough();
    const shown = refused?.decision ?? strictest(checks);
    return {
      isOver: refused !== undefined && !settings.isShadow,
      statuses: checks.map(({ decision }) => statusOf(decision)),
      responseHeaders: shown ? headersOf(shown, headerProfile) : [],
      requestHeaders: [],
      body: null,
      metadata: null,
    };
  }

  #tell({ decision, input, snapshot, resolution }: Checked, durationUs: number): void {
    const { tenant, epoch } = snapshot;
    this.#parts.observer()?.check({
      route: 'envoy.rls',
      tenant: tenant.id,
      tier: tenant.tier,
      epoch,
      planId: resolution.plan?.id ?? null,
      policy: resolution.policy?.pattern.text ?? null,
      subject: input.subject,
      resource: input.resource,
      decision,
      durationUs,
      requestId: null,
    });
  }

  /** A tenant that is not there has no rules; one that is suspended passes nothing. */
  #whenUndecided(error: unknown, { domain, descriptors }: RlsRequest): RlsAnswer {
    const { stats, settings, isUnavailable } = this.#parts;
    if (error instanceof UnknownTenant) {
      stats.domainNotFound(domain);
      return sameFor(descriptors, noRule);
    }
    if (error instanceof Denied) return sameFor(descriptors, { ...noRule, isOver: true });
    if (error instanceof InvalidInput) {
      stats.failed('service_error');
      throw new RlsRefusal('invalid', error.message);
    }
    if (!(error instanceof StoreFailure) && !isUnavailable(error)) throw error;
    stats.failed('redis_error');
    if (settings.onStoreFailure === 'error') {
      throw new RlsRefusal('unavailable', 'what decides for this tenant did not answer');
    }
    return sameFor(descriptors, { ...noRule, isOver: settings.onStoreFailure === 'closed' });
  }
}

function isGivingBack(descriptor: RlsDescriptor | undefined): boolean {
  return descriptor !== undefined && descriptor.isRefund && descriptor.hits > 0;
}

function sameFor(descriptors: readonly RlsDescriptor[], status: RlsStatus): RlsAnswer {
  return {
    isOver: status.isOver,
    statuses: descriptors.map(() => status),
    responseHeaders: [],
    requestHeaders: [],
    body: null,
    metadata: null,
  };
}

/** `subject` and `resource` are what they are in a check; every other entry is an attribute. */
export function inputOf({ entries, hits, limit, isRefund }: RlsDescriptor): CheckInput {
  if (limit) throw new InvalidInput('limit', "a tenant's limits are those of its plan");
  let subject: string | undefined;
  let resource: string | undefined;
  const attributes: Record<string, string> = Object.create(null);
  for (const { key, value } of entries) {
    if (key === 'subject' && subject === undefined) {
      subject = parseText(key, value, textLengthMax);
    } else if (key === 'resource' && resource === undefined) {
      resource = normalizeResource(parseText(key, value, resourceLengthMax));
    } else if (key === 'subject' || key === 'resource' || key in attributes) {
      throw new InvalidInput('entries', 'a descriptor names each key once');
    } else {
      attributes[parseName('entries', key)] = parseText(`attributes.${key}`, value, textLengthMax);
    }
  }
  return {
    subject: subject ?? subjectDefault,
    resource: resource ?? resourceDefault,
    cost: isRefund ? 0 : hits,
    attributes,
  };
}

function statusOf(decision: Decision): RlsStatus {
  const shown = Decision.shownOf(decision);
  const isOver = !decision.allowed;
  if (!shown) return { ...noRule, isOver };
  const { bound, view } = shown;
  const nowUs = Decision.nowUsOf(decision);
  const waitUs = (isOver && view.retryAfterUs) || view.resetAtUs - nowUs;
  return {
    isOver,
    limit: shownLimit(bound.limit),
    remaining: isOver ? 0 : Math.min(uint32Max, view.remaining),
    resetSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)),
    quota: null,
  };
}

function shownLimit(limit: Limit) {
  const requestsPerUnit = Math.min(limit.size, uint32Max);
  return { name: limit.name, requestsPerUnit, unit: unitOf(limit) };
}

function strictest(checks: readonly Checked[]): Decision | undefined {
  let best: { readonly decision: Decision; readonly share: number } | undefined;
  for (const { decision } of checks) {
    const shown = Decision.shownOf(decision);
    if (!shown) continue;
    const share = shown.view.remaining / shown.bound.limit.size;
    if (!best || share < best.share) best = { decision, share };
  }
  return best?.decision;
}

function headersOf(decision: Decision, profile: HeaderProfile): RlsHeader[] {
  const fields = toHeaders(decision, { profile, lowerCase: true });
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}
