import { Deadline } from 'sluice';
import type { Config } from '../config.ts';
import { Decider, TenantIdentifier, type DeciderParts } from '../decide/index.ts';
import type { CheckSink } from '../observe/index.ts';
import {
  Domains,
  FolderConfig,
  OverCache,
  RlsService,
  TenantDomains,
  XdsConfig,
  type ConfigSource,
  type ConfigWatch,
  type RateLimitService,
  type RlsSettings,
  type RlsStats,
  type XdsServer,
} from '../rls/index.ts';
import type { Foundation } from './foundation.ts';

export type RateLimitsConfig = Pick<
  Config,
  | 'rlsConfigDir'
  | 'rlsXdsUrl'
  | 'rlsXdsNode'
  | 'rlsXdsTls'
  | 'rlsXdsTlsCa'
  | 'rlsXdsTlsCert'
  | 'rlsXdsTlsKey'
  | 'rlsXdsTlsName'
  | 'rlsTenants'
  | 'rlsDeadlineMs'
  | 'rlsOnStoreFailure'
  | 'rlsCharging'
  | 'rlsCalendar'
  | 'rlsShadow'
  | 'rlsQuota'
  | 'rlsMergeDomains'
  | 'rlsHeaders'
  | 'rlsMetadata'
  | 'rlsTags'
  | 'rlsLocalCacheBytes'
  | 'headerProfile'
>;

/** What gateways ask, and whoever is told of it. */
export type RateLimits = {
  readonly service: RateLimitService;
  /** Told of the checks of tenants from now on. */
  watch(sink: CheckSink): void;
  close(): Promise<void>;
};

/** Null, and nothing is spent on it, where there are neither rules nor a tenant to ask for. */
export async function openRateLimits(
  foundation: Foundation,
  config: RateLimitsConfig,
  deciding: Omit<DeciderParts, 'identifier'>,
): Promise<RateLimits | null> {
  const hasRules = config.rlsConfigDir !== null || config.rlsXdsUrl !== null;
  if (!hasRules && !config.rlsTenants) return null;
  const { store, metrics } = foundation;
  const stats = metrics.openRls(config.rlsTags ?? {});
  const settings = settingsOf(config);
  const source = sourceOf(foundation, config, stats);
  await source?.open();
  const { local } = deciding;
  const counting = store.within(settings.deadlineMs);
  const { rlsLocalCacheBytes: bytes } = config;
  const overs = bytes > 0 ? new OverCache({ bytes }) : null;
  // Who comes back may have forgotten what it counted.
  if (overs) store.onLost(() => overs.clear());
  let sink: CheckSink | null = null;
  const tenants = config.rlsTenants
    ? new TenantDomains({
        decider: tenantDecider(deciding, new Deadline(settings.deadlineMs)),
        engine: store.engine,
        observer: () => sink,
        stats,
        settings,
        headerProfile: config.headerProfile,
        isUnavailable: deciding.isUnavailable,
      })
    : null;
  return {
    service: new RlsService({
      config: source,
      domains: new Domains({ ...counting, local, stats, metrics, settings, overs }),
      tenants,
      stats,
    }),
    watch: (told) => {
      sink = told;
    },
    close: async () => source?.close(),
  };
}

function settingsOf(config: RateLimitsConfig): RlsSettings {
  return {
    charging: config.rlsCharging,
    calendar: config.rlsCalendar,
    onStoreFailure: config.rlsOnStoreFailure,
    deadlineMs: config.rlsDeadlineMs,
    isShadow: config.rlsShadow,
    isQuota: config.rlsQuota,
    headers: config.rlsHeaders,
    hasMetadata: config.rlsMetadata,
  };
}

/** A folder or a management server: the settings are refused where both are named. */
function sourceOf(
  { log: { logger } }: Foundation,
  config: RateLimitsConfig,
  stats: RlsStats,
): ConfigSource | null {
  const { rlsConfigDir: folder, rlsXdsNode: nodeId, rlsMergeDomains: isMerging } = config;
  const watch: ConfigWatch = {
    onLoad: (isGood) => stats.loaded(isGood),
    onLoaded: (domains) => logger.info({ event: 'rls.loaded', domains }),
    onProblem: (problem) => logger.error({ event: 'rls.refused', problem }),
  };
  if (folder !== null) return new FolderConfig({ folder, isMerging, ...watch });
  const server = xdsServerOf(config);
  if (!server) return null;
  return new XdsConfig({
    server,
    nodeId,
    isMerging,
    ...watch,
    onLost: (problem) => logger.warn({ event: 'rls.xds_lost', problem }),
    onBack: () => logger.info({ event: 'rls.xds_back' }),
  });
}

function xdsServerOf(config: RateLimitsConfig): XdsServer | null {
  const { rlsXdsUrl: address, rlsXdsTls: isSecured } = config;
  if (address === null) return null;
  const { rlsXdsTlsCa, rlsXdsTlsCert, rlsXdsTlsKey, rlsXdsTlsName } = config;
  const tls = {
    caPath: rlsXdsTlsCa,
    certPath: rlsXdsTlsCert,
    keyPath: rlsXdsTlsKey,
    name: rlsXdsTlsName,
  };
  return { address, tls: isSecured ? tls : null };
}

/**
 * As for keys, but by the tenant's id; no key was used. A gateway waits for less long: by then each
 * limit's own policy has to decide.
 */
function tenantDecider(
  { engine, recorder, snapshots, ...deciding }: Omit<DeciderParts, 'identifier'>,
  deadline: Deadline,
) {
  return new Decider({
    ...deciding,
    engine: { decide: (call) => deadline.run(engine.decide(call)) },
    snapshots,
    identifier: new TenantIdentifier(snapshots),
    recorder: {
      note: (...call) => recorder.note(...call),
      shutOut: (...call) => recorder.shutOut(...call),
      keyUsed: () => {},
    },
  });
}
