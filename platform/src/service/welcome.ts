import type { Config } from '../config.ts';
import type { Demo } from './demo.ts';
import type { Service } from './service.ts';

/** What a person who has just started it wants to know. Every line can be pasted. */
export function welcome(service: Service, config: Config): string {
  const { url, adminUrl, adminToken, demo, foundation } = service;
  const { database, store } = foundation;
  // Who chose the token has it: what is printed ends up in somebody's logs.
  const isGiven = config.adminToken !== null;
  const lines = [
    '',
    `  Sluice is listening on ${url}`,
    '',
    `  console       ${url}/`,
    `  reference     ${url}/docs`,
    `  counters      ${store.kind === 'redis' ? 'in Redis' : 'in this process (SLUICE_REDIS_URL for Redis)'}`,
    `  configuration ${database.embedded ? 'embedded PostgreSQL (SLUICE_DATABASE_URL for your own)' : 'PostgreSQL'}`,
    `  admin token   ${isGiven ? 'as set in SLUICE_ADMIN_TOKEN' : adminToken}`,
  ];
  if (service.grpcPort !== null && config.grpcAddr !== null) {
    lines.push(`  gRPC          ${config.grpcAddr.host}:${service.grpcPort}, for Envoy`);
  }
  if (adminUrl !== url) lines.push(`  admin API     ${adminUrl}`);
  if (demo) lines.push(`  demo key      ${demo.key}`, '', ...tryOut(url, demo));
  lines.push(
    '',
    '  # everything else, as its owner',
    isGiven
      ? `  curl -s ${adminUrl}/v1/admin/tenants -H "authorization: Bearer $SLUICE_ADMIN_TOKEN"`
      : `  curl -s ${adminUrl}/v1/admin/tenants -H 'authorization: Bearer ${adminToken}'`,
    '',
  );
  return [...lines, ''].join('\n');
}

function tryOut(url: string, { key, plans }: Demo): string[] {
  const lines = ['  Try each algorithm; call one a dozen times and watch it refuse:', ''];
  for (const [at, { id, name, about }] of plans.entries()) {
    const check = { resource: 'GET:/hello', subject: 'me', ...(at === 0 ? {} : { plan_id: id }) };
    lines.push(
      `  # ${name}: ${about}`,
      `  curl -s ${url}/v1/check -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${JSON.stringify(check)}'`,
      '',
    );
  }
  return lines.slice(0, -1);
}
