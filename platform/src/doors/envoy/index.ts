export { openEnvoyDoor, type EnvoyDoor } from './door.ts';
export { Health } from './health.ts';
export { rlsRoutes } from './json/routes.ts';
export type { TlsFiles } from './tls-files.ts';
