export { openEnvoyDoor, type EnvoyDoor } from './door.ts';
export { Health } from './health.ts';
export { healthRoutes } from './health-routes.ts';
export { jsonRoutes } from './json/routes.ts';
export type { TlsFiles } from './tls-files.ts';
