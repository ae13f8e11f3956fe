import type { Deadline, LocalShares } from 'sluice';
import { StoreFailure, whenStoreFails, type Engine, type TenantRef } from 'sluice/core';
import type { Metrics } from '../observe/index.ts';
import { RlsRefusal, type RlsAnswer, type RlsDescriptor, type RlsRequest } from './ask.ts';
import type { RlsStatus } from './ask.ts';
import type { RlsConfig } from './config/tree.ts';
import { AfterResponse } from './decide/after-response.ts';
import { answerOf } from './decide/answer.ts';
import { chargeAtomically, chargeEach, votesOf } from './decide/charge.ts';
import { checkFor, Counters, questionOf } from './decide/counters.ts';
import { hitCountsOf } from './decide/hit-counts.ts';
import type { Item, Seen } from './decide/item.ts';
import { isRefused, type Vote } from './decide/overall.ts';
import type { Look, OverCache } from './decide/over-cache.ts';
import { RuleBook } from './decide/rule-limits.ts';
import { noRule, nothingAllowed, refusedUnasked, statusOf, unlimited } from './decide/status.ts';
import { applyReplaces } from './match/apply-replaces.ts';
import { matchIn, type Match } from './match/match.ts';
import { requestDeadline } from './request-deadline.ts';
import type { RlsSettings } from './settings.ts';
import type { RlsStats } from './stats.ts';

export type DomainsParts = {
  /** What decides within the deadline. */
  readonly decider: Pick<Engine, 'decide'>;
  readonly engine: Pick<Engine, 'refund' | 'debit' | 'inspect'>;
  readonly local: Pick<LocalShares, 'heard' | 'answer'>;
  readonly stats: RlsStats;
  readonly metrics: Pick<Metrics, 'degraded'>;
  readonly settings: RlsSettings;
  /** Of who is over; null without one. */
  readonly overs: OverCache | null;
};

/** Domains of configuration files. Each is a tenant of its own in the store, and nowhere else. */
export class Domains {
  readonly #parts: DomainsParts;
  readonly #book: RuleBook;
  readonly #afterResponse = new AfterResponse();
  readonly #deadline: Deadline;

  constructor(parts: DomainsParts) {
    this.#parts = parts;
    this.#book = new RuleBook(parts.settings);
    this.#deadline = requestDeadline(parts.settings);
  }

  async ask(config: RlsConfig, request: RlsRequest): Promise<RlsAnswer> {
    const plan = this.#plan(config, request);
    const tenant: TenantRef = { id: `rls:${request.domain}` };
    const { overs, stats } = this.#parts;
    const refunds = itemsOf(plan, 'refund');
    if (refunds.length > 0) overs?.refunded(request.domain, refunds);
    const look = overs?.look(request.domain, itemsOf(plan, 'charge')) ?? knowsNothing;
    try {
      const seen = await this.#deadline.run(this.#count(tenant, plan, look.known));
      look.note(seen);
      if (overs) stats.localCache(overs.figures);
      return this.#answer(request, plan, { seen, known: look.known });
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return this.#whenStoreFails(error, tenant, { request, plan });
    } finally {
      // Once more: who asked meanwhile may have noted what was before.
      if (refunds.length > 0) overs?.refunded(request.domain, refunds);
    }
  }

  #plan(config: RlsConfig, { domain, descriptors }: RlsRequest): Plan {
    const { stats } = this.#parts;
    const found = descriptors.map((descriptor) => matchIn(config, domain, descriptor));
    if (found.includes('unknown')) stats.domainNotFound(domain);
    const matches = applyReplaces(found.map((match) => (match === 'unknown' ? null : match)));
    const steps = matches.map((match, at): Step => {
      const descriptor = descriptors[at] as RlsDescriptor;
      return match ? this.#stepOf(domain, match, descriptor) : { kind: 'fixed', status: noRule };
    });
    return { matches, steps };
  }

  #stepOf(domain: string, match: Match, descriptor: RlsDescriptor): Step {
    const { rule } = match;
    const { hits, isRefund, limit } = descriptor;
    const compiled = this.#book.of(rule, limit !== null);
    if (compiled === 'unlimited') return { kind: 'fixed', status: unlimited };
    const isQuota = rule.isQuota || this.#parts.settings.isQuota;
    if ('none' in compiled) {
      const status = isRefund ? noRule : nothingAllowed(compiled.none, rule.isShadow);
      return { kind: 'fixed', status, over: { match, hits, isShadow: rule.isShadow, isQuota } };
    }
    const isAfterResponse = this.#afterResponse.isSo(limit ? domain : rule, descriptor);
    // Who may refuse whatever else is said, and only for what is still to happen.
    const isRefusing = !rule.isShadow && !isQuota && !this.#parts.settings.isShadow;
    const isGranting = isRefusing && hits > 0 && !isAfterResponse;
    const item: Item = {
      match,
      limits: compiled,
      subject: JSON.stringify(match.counted),
      hits,
      isShadow: rule.isShadow,
      isQuota,
      isAfterResponse,
      grant: isGranting ? (rule.grant?.requests ?? 0) : 0,
    };
    return { kind: isRefund && hits > 0 ? 'refund' : 'charge', item };
  }

  async #count(
    tenant: TenantRef,
    plan: Plan,
    known: ReadonlyMap<Item, Seen>,
  ): Promise<ReadonlyMap<Item, Seen>> {
    const counters = new Counters(this.#parts, tenant);
    const refunds = itemsOf(plan, 'refund');
    const charges = itemsOf(plan, 'charge').filter((item) => !known.has(item));
    // First, for what comes back may make room for the rest.
    const back = refunds.length > 0 ? await counters.refund(refunds) : [];
    const { charging, isShadow } = this.#parts.settings;
    const votes = [...fixedVotes(plan), ...votesOf(known)];
    const seen =
      charging === 'reference'
        ? await chargeEach(counters, charges)
        : await chargeAtomically(counters, charges, { votes, isShadow });
    return new Map([...back, ...known, ...seen]);
  }

  #answer(request: RlsRequest, plan: Plan, counted: Counted): RlsAnswer {
    const { seen } = counted;
    const statuses = plan.steps.map((step): RlsStatus => {
      if (step.kind === 'fixed') return step.status;
      return statusOf(step.item, seen.get(step.item) as Seen, request.domain);
    });
    for (const step of plan.steps) this.#note(step, counted);
    return this.#concluded(request, plan, statuses);
  }

  #concluded(request: RlsRequest, plan: Plan, statuses: readonly RlsStatus[]): RlsAnswer {
    const { settings, stats } = this.#parts;
    const votes = plan.steps.flatMap((step, at): Vote[] => {
      if (step.kind === 'refund') return [];
      const of = step.kind === 'fixed' ? step.over : step.item;
      const isOver = statuses[at]?.isOver ?? false;
      return of ? [{ isOver, isShadow: of.isShadow, isQuota: of.isQuota }] : [];
    });
    const isOver = isRefused(votes);
    if (isOver && settings.isShadow) stats.letThrough();
    const { matches } = plan;
    return answerOf({ request, matches, statuses, isOver: isOver && !settings.isShadow }, settings);
  }

  #note(step: Step, { seen, known }: Counted): void {
    const { stats } = this.#parts;
    if (step.kind === 'refund') {
      stats.refunded(step.item.match.statKey, step.item.hits);
    } else if (step.kind === 'charge') {
      const { match, hits, isShadow, limits } = step.item;
      const { before, isOver, granted } = seen.get(step.item) as Seen;
      const limit = limits.enforced.size;
      // Nobody tells of what is granted when it is used.
      const isUnasked = known.has(step.item);
      const asked = { hits: hits + granted, before, limit, isOver, isShadow, isUnasked };
      stats.hit(match.statKey, hitCountsOf(asked));
    } else if (step.kind === 'fixed' && step.over) {
      const { match, hits, isShadow } = step.over;
      const nothing = { before: 0, limit: 0, isOver: true, isUnasked: false };
      stats.hit(match.statKey, hitCountsOf({ hits, isShadow, ...nothing }));
    }
  }

  /** Each rule's own policy, or the gateway's where it is to decide. */
  #whenStoreFails(failure: StoreFailure, tenant: TenantRef, { request, plan }: Asked): RlsAnswer {
    const { stats, metrics, settings, local } = this.#parts;
    stats.failed('redis_error');
    if (settings.onStoreFailure === 'error') {
      throw new RlsRefusal('unavailable', 'the store that counts did not answer');
    }
    const items = itemsOf(plan, 'charge').filter(({ isShadow }) => !isShadow);
    const bounds = items.map(({ limits, subject, hits }) => ({
      limit: limits.enforced,
      parts: [subject],
      cost: hits,
    }));
    const peek = items.every(({ hits }) => hits === 0);
    const question = questionOf(bounds, peek);
    const share = local.answer(tenant, question);
    const decision = whenStoreFails(failure, checkFor(peek), question, share);
    const { allowed, basis, degradedReason } = decision;
    metrics.degraded(basis, degradedReason);
    const statuses = plan.steps.map((step): RlsStatus => {
      if (step.kind === 'fixed') return step.status;
      const isRefusing = !allowed && step.kind === 'charge' && !step.item.isShadow;
      return isRefusing ? refusedUnasked(step.item) : noRule;
    });
    return this.#concluded(request, plan, statuses);
  }
}

const knowsNothing: Look = { known: new Map(), note: () => {} };

type Counted = {
  readonly seen: ReadonlyMap<Item, Seen>;
  /** Of those, the ones that the store was not asked about. */
  readonly known: ReadonlyMap<Item, Seen>;
};

type Asked = { readonly request: RlsRequest; readonly plan: Plan };

/** What is to be done about each descriptor, in order. */
type Plan = {
  readonly matches: readonly (Match | null)[];
  readonly steps: readonly Step[];
};

type Step =
  | { readonly kind: 'charge' | 'refund'; readonly item: Item }
  /** No counter is asked. `over`: of a rule that allows nothing. */
  | {
      readonly kind: 'fixed';
      readonly status: RlsStatus;
      readonly over?: Pick<Item, 'match' | 'hits' | 'isShadow' | 'isQuota'>;
    };

function itemsOf({ steps }: Plan, kind: 'charge' | 'refund'): Item[] {
  return steps.flatMap((step) => (step.kind === kind ? [step.item] : []));
}

function fixedVotes({ steps }: Plan): Vote[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'fixed' || !step.over) return [];
    const { isShadow, isQuota } = step.over;
    return [{ isOver: step.status.isOver, isShadow, isQuota }];
  });
}
