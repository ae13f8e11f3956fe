import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { LocalShares } from '../../limiter/src/index.ts';
import type { Engine } from '../../limiter/src/core/engine.ts';
import { StoreFailure } from '../../limiter/src/core/errors.ts';
import type { RlsAnswer, RlsDescriptor, RlsStatus } from '../../platform/src/rls/ask.ts';
import { buildConfig } from '../../platform/src/rls/config/tree.ts';
import { readSource } from '../../platform/src/rls/config/yaml-source.mjs';
import type { HitCounts } from '../../platform/src/rls/decide/hit-counts.ts';
import { Domains } from '../../platform/src/rls/domains.ts';
import { RlsService } from '../../platform/src/rls/service.ts';
import type { RlsSettings } from '../../platform/src/rls/settings.ts';
import type { RlsStats } from '../../platform/src/rls/stats.ts';
import { openEngine, type EngineKind, type OpenEngine } from '../support/engines.ts';
import type { FakeClock } from '../support/fake-clock.ts';

export const kinds: readonly EngineKind[] = ['memory', 'redis'];

const settings: RlsSettings = {
  charging: 'atomic',
  calendar: 'honest',
  onStoreFailure: 'open',
  deadlineMs: 10_000,
  isShadow: false,
  isQuota: false,
  headers: null,
  hasMetadata: false,
};

/** `key=value` or `key=value,key=value`, with hits and a limit where they matter. */
export type Asked =
  | string
  | (Partial<Omit<RlsDescriptor, 'entries'>> & { readonly entries: string });

/** What was counted, by the name of the rule without its domain. */
export class RecordedStats implements RlsStats {
  readonly hits = new Map<string, HitCounts>();
  readonly events: string[] = [];
  /** What was decided without the store, by how and why. */
  readonly degradations: string[] = [];

  hit([, ...key]: readonly string[], counts: HitCounts): void {
    const name = key.join('.');
    const known = this.hits.get(name);
    this.hits.set(name, known ? added(known, counts) : counts);
  }

  refunded = (key: readonly string[], hits: number) =>
    void this.events.push(`refunded ${key.slice(1).join('.')} ${hits}`);
  degraded = (basis: string, reason: string | null) =>
    void this.degradations.push(`${basis}: ${reason}`);
  domainNotFound = () => void this.events.push('domain_not_found');
  failed = (kind: string) => void this.events.push(kind);
  letThrough = () => void this.events.push('global_shadow_mode');
  loaded = (isGood: boolean) => void this.events.push(isGood ? 'loaded' : 'refused');
}

function added(a: HitCounts, b: HitCounts): HitCounts {
  return {
    total: a.total + b.total,
    over: a.over + b.over,
    near: a.near + b.near,
    within: a.within + b.within,
    shadow: a.shadow + b.shadow,
  };
}

/** A domain of its own, asked by short names. */
export type Domain = {
  readonly name: string;
  readonly stats: RecordedStats;
  readonly service: RlsService;
  readonly ask: (...asked: readonly Asked[]) => Promise<RlsAnswer>;
  /** Each status as `ok 3` or `over 0`, then what became of all. */
  readonly codes: (...asked: readonly Asked[]) => Promise<string>;
};

export type RlsRig = {
  readonly clock: FakeClock;
  readonly engine: Engine;
  /** `descriptors` of a file of its own. */
  domain(descriptors: string, changed?: Partial<RlsSettings>): Domain;
  /** The same on a store that fails, and on one that never answers. */
  broken(descriptors: string, changed?: Partial<RlsSettings>): Domain;
  hanging(descriptors: string, changed?: Partial<RlsSettings>): Domain;
};

/** Once in process and once on Redis, on a clock that the test moves. */
export function onEachEngine(topic: string, tests: (rig: RlsRig) => void): void {
  describe.each(kinds)(`${topic} (%s)`, (kind) => {
    let opened: OpenEngine | undefined;
    let startUs = 0;
    const current = () => opened as OpenEngine;
    beforeAll(async () => {
      opened = await openEngine(kind);
      startUs = opened.clock.nowUs;
    });
    beforeEach(() => {
      current().clock.nowUs = startUs;
    });
    afterAll(() => opened?.close());
    tests({
      get clock() {
        return current().clock;
      },
      get engine() {
        return current().engine;
      },
      domain: (descriptors, changed) => domainOn(current().engine, descriptors, changed),
      broken: (descriptors, changed) => domainOn(failing, descriptors, changed),
      hanging: (descriptors, changed) => domainOn(silent, descriptors, changed),
    });
  });
}

const fail = async (): Promise<never> => {
  throw new StoreFailure('timeout');
};
const failing = { decide: fail, inspect: fail, refund: fail, debit: fail };
const wait = () => new Promise<never>(() => {});
const silent = { decide: wait, inspect: wait, refund: wait, debit: wait };

function domainOn(
  engine: Pick<Engine, 'decide' | 'inspect' | 'refund' | 'debit'>,
  descriptors: string,
  changed: Partial<RlsSettings> = {},
): Domain {
  const name = `domain-${randomUUID()}`;
  const text = `domain: ${name}\ndescriptors:\n${descriptors}`;
  const config = buildConfig([{ name: 'rules.yaml', read: readSource(text) }], {
    isMerging: false,
  });
  const stats = new RecordedStats();
  const local = new LocalShares({ engine });
  const domains = new Domains({
    decider: engine,
    engine,
    local,
    stats,
    metrics: stats,
    settings: { ...settings, ...changed },
  });
  const service = new RlsService({ config: { config }, domains, tenants: null, stats });
  const ask = (...asked: readonly Asked[]) =>
    service.ask({ domain: name, descriptors: asked.map(descriptorOf) });
  return {
    name,
    stats,
    service,
    ask,
    codes: async (...asked) => {
      const { isOver, statuses } = await ask(...asked);
      return [...statuses.map(codeOf), isOver ? 'OVER' : 'OK'].join(', ');
    },
  };
}

function codeOf({ isOver, remaining }: RlsStatus): string {
  return `${isOver ? 'over' : 'ok'} ${remaining}`;
}

export function descriptorOf(asked: Asked): RlsDescriptor {
  const { entries, ...more } = typeof asked === 'string' ? { entries: asked } : asked;
  return {
    entries: entries.split(',').map((pair) => {
      const [key = '', value = ''] = pair.split('=');
      return { key, value };
    }),
    limit: null,
    hits: 1,
    isRefund: false,
    ...more,
  };
}
