import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { LocalShares } from '../../limiter/src/index.ts';
import type { Engine } from '../../limiter/src/core/engine.ts';
import { StoreFailure } from '../../limiter/src/core/errors.ts';
import type { RlsAnswer, RlsDescriptor, RlsStatus } from '../../platform/src/rls/ask.ts';
import { buildConfig, type RlsConfig } from '../../platform/src/rls/config/tree.ts';
import { readSource } from '../../platform/src/rls/config/yaml-source.mjs';
import type { HitCounts } from '../../platform/src/rls/decide/hit-counts.ts';
import { OverCache, type LocalCacheFigures } from '../../platform/src/rls/decide/over-cache.ts';
import { Domains } from '../../platform/src/rls/domains.ts';
import { RlsService } from '../../platform/src/rls/service.ts';
import type { RlsSettings } from '../../platform/src/rls/settings.ts';
import type { RlsStats } from '../../platform/src/rls/stats.ts';
import { XdsConfig, type XdsConfigOptions } from '../../platform/src/rls/xds/xds-config.ts';
import { openEngine, type EngineKind, type OpenEngine } from '../support/engines.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { ManagementServer } from './management-server.ts';

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
  /** As last told. */
  cache: LocalCacheFigures | null = null;
  localCache = (figures: LocalCacheFigures) => void (this.cache = figures);
}

function added(a: HitCounts, b: HitCounts): HitCounts {
  return {
    total: a.total + b.total,
    over: a.over + b.over,
    near: a.near + b.near,
    within: a.within + b.within,
    shadow: a.shadow + b.shadow,
    overUnasked: a.overUnasked + b.overUnasked,
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
  /** How often the store was asked to decide. */
  readonly storeCalls: () => number;
  /** The rules from now on, as if they had been loaded anew. */
  readonly reload: (descriptors: string) => void;
  /** Null where nobody remembers who is over. */
  readonly overs: OverCache | null;
};

/** Who publishes its rules is another. */
export type ServedDomain = Omit<Domain, 'reload'>;

export type RlsRig = {
  readonly clock: FakeClock;
  readonly engine: Engine;
  /** `descriptors` of a file of its own. */
  domain(descriptors: string, changed?: Partial<RlsSettings>): Domain;
  /** The same, remembering who is over. */
  remembering(descriptors: string, changed?: Partial<RlsSettings>, bytes?: number): Domain;
  /** The same from a management server. */
  served(descriptors: string, changed?: Partial<RlsSettings>): Promise<ServedDomain>;
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
      remembering: (descriptors, changed, bytes = 1_000_000) => {
        const { engine, clock } = current();
        const overs = new OverCache({ bytes, nowUs: clock.read });
        return domainOn(engine, descriptors, changed, overs);
      },
      served: (descriptors, changed) => servedOn(current().engine, descriptors, changed),
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

type Store = Pick<Engine, 'decide' | 'inspect' | 'refund' | 'debit'>;

function domainOn(
  engine: Store,
  descriptors: string,
  changed?: Partial<RlsSettings>,
  overs: OverCache | null = null,
): Domain {
  const name = `domain-${randomUUID()}`;
  const configOf = (rules: string): RlsConfig => {
    const read = readSource(`domain: ${name}\ndescriptors:\n${rules}`);
    return buildConfig([{ name: 'rules.yaml', read }], { isMerging: false });
  };
  const current = { config: configOf(descriptors) };
  const domain = askedBy(engine, name, current, changed, overs);
  return { ...domain, reload: (rules) => void (current.config = configOf(rules)) };
}

async function servedOn(
  engine: Store,
  descriptors: string,
  changed?: Partial<RlsSettings>,
): Promise<ServedDomain> {
  const name = `domain-${randomUUID()}`;
  const server = await new ManagementServer().start();
  onTestFinished(() => server.stop());
  server.publish(`domain: ${name}\ndescriptors:\n${descriptors}`);
  const { xds } = await openXds(server.address);
  return askedBy(engine, name, xds, changed);
}

/** A source that notes what it tells, closed when the test ends. */
export function xdsOf(address: string, changed: Partial<XdsConfigOptions> = {}) {
  const loads: boolean[] = [];
  const problems: string[] = [];
  const losses: string[] = [];
  const xds = new XdsConfig({
    server: { address, tls: null },
    nodeId: 'test',
    isMerging: false,
    onLoad: (isGood) => loads.push(isGood),
    onProblem: (problem) => problems.push(problem),
    onLost: (problem) => losses.push(problem),
    onBack: () => losses.push('back'),
    reconnect: { firstMs: 5, mostMs: 50 },
    refuseAgain: { firstMs: 5, mostMs: 50 },
    ...changed,
  });
  onTestFinished(() => xds.close());
  return { xds, loads, problems, losses };
}

/** Opened, and as far as that it has heard of the server, or that there is none. */
export async function openXds(address: string, changed: Partial<XdsConfigOptions> = {}) {
  const opened = xdsOf(address, changed);
  await opened.xds.open();
  const { loads, losses } = opened;
  await vi.waitFor(() => expect(loads.length + losses.length).toBeGreaterThan(0), {
    timeout: 20_000,
    interval: 2,
  });
  return opened;
}

function askedBy(
  engine: Store,
  name: string,
  config: { readonly config: RlsConfig | null },
  changed: Partial<RlsSettings> = {},
  overs: OverCache | null = null,
): ServedDomain {
  const stats = new RecordedStats();
  const local = new LocalShares({ engine });
  let storeCalls = 0;
  const domains = new Domains({
    decider: {
      decide: (call) => {
        storeCalls += 1;
        return engine.decide(call);
      },
    },
    engine,
    local,
    stats,
    metrics: stats,
    settings: { ...settings, ...changed },
    overs,
  });
  const service = new RlsService({ config, domains, tenants: null, stats });
  const ask = (...asked: readonly Asked[]) =>
    service.ask({ domain: name, descriptors: asked.map(descriptorOf) });
  return {
    name,
    stats,
    service,
    ask,
    overs,
    storeCalls: () => storeCalls,
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
