/**
 * What gateways ask, behind one interface: the reference service's rules, from files or a management
 * server, matched and decided on our
 * engine, and tenants' plans. Knows neither gRPC nor HTTP, and never throws because a store failed.
 */
export {
  RlsRefusal,
  rlsUnits,
  type RateLimitService,
  type RlsAnswer,
  type RlsDescriptor,
  type RlsEntry,
  type RlsHeader,
  type RlsQuota,
  type RlsRefusalCode,
  type RlsRequest,
  type RlsShownLimit,
  type RlsStatus,
  type RlsUnit,
} from './ask.ts';
export type { ConfigSource, ConfigWatch } from './config/current-config.ts';
export { FolderConfig } from './config/folder-config.ts';
export { readRlsFolder } from './config/read-rls-folder.ts';
export { OverCache } from './decide/over-cache.ts';
export { Domains } from './domains.ts';
export { RlsService } from './service.ts';
export type { RlsSettings } from './settings.ts';
export type { RlsStats } from './stats.ts';
export { TenantDomains } from './tenant-domains.ts';
export { plansOf } from './to-plan.ts';
export type { XdsServer } from './xds/connect.ts';
export { XdsConfig } from './xds/xds-config.ts';
