import { Deadline } from 'sluice';
import type { Config } from '../config.ts';
import { Decider, TenantIdentifier, type DeciderParts } from '../decide/index.ts';
import type { CheckSink } from '../observe/index.ts';
import {
  Domains,
  LiveConfig,
  RlsService,
  TenantDomains,
  type RateLimitService,
  type RlsSettings,
  type RlsStats,
} from '../rls/index.ts';
import type { Foundation } from './foundation.ts';

export type RateLimitsConfig = Pick<
  Config,
  | 'rlsConfigDir'
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
  | 'headerProfile'
>;

/** What gateways ask, and whoever is told of it. */
export type RateLimits = {
  readonly service: RateLimitService;
  /** Told of the checks of tenants from now on. */
  watch(sink: CheckSink): void;
  close(): Promise<void>;
};

/** Null, and nothing is spent on it, where there is neither a folder nor a tenant to ask for. */
export async function openRateLimits(
  foundation: Foundation,
  config: RateLimitsConfig,
  deciding: Omit<DeciderParts, 'identifier'>,
): Promise<RateLimits | null> {
  if (config.rlsConfigDir === null && !config.rlsTenants) return null;
  const { store, metrics } = foundation;
  const stats = metrics.openRls(config.rlsTags ?? {});
  const settings = settingsOf(config);
  const live = await openFolder(foundation, config, stats);
  const { local } = deciding;
  const counting = store.within(settings.deadlineMs);
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
      config: live,
      domains: new Domains({ ...counting, local, stats, metrics, settings }),
      tenants,
      stats,
    }),
    watch: (told) => {
      sink = told;
    },
    close: async () => live?.close(),
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

async function openFolder(
  { log: { logger } }: Foundation,
  { rlsConfigDir: folder, rlsMergeDomains: isMerging }: RateLimitsConfig,
  stats: RlsStats,
): Promise<LiveConfig | null> {
  if (folder === null) return null;
  const live = new LiveConfig({
    folder,
    isMerging,
    onLoad: (isGood) => stats.loaded(isGood),
    onLoaded: (domains) => logger.info({ event: 'rls.loaded', domains }),
    onProblem: (problem) => logger.error({ event: 'rls.refused', problem }),
  });
  await live.open();
  return live;
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
