import type { Config } from './table.ts';

/** What no single setting can see. */
export function contradictions(config: Config): string[] {
  return [
    ...addressProblems(config),
    ...tlsProblems(config),
    ...xdsProblems(config),
    ...workerProblems(config),
  ];
}

function addressProblems({ httpAddr, adminAddr, grpcAddr }: Config): string[] {
  const problems: string[] = [];
  if (adminAddr && adminAddr.port !== 0 && adminAddr.port === httpAddr?.port) {
    problems.push('SLUICE_ADMIN_ADDR must have another port than SLUICE_HTTP_ADDR');
  }
  const taken = [httpAddr?.port, adminAddr?.port];
  if (grpcAddr && grpcAddr.port !== 0 && taken.includes(grpcAddr.port)) {
    problems.push(
      'SLUICE_GRPC_ADDR must have another port than SLUICE_HTTP_ADDR and SLUICE_ADMIN_ADDR',
    );
  }
  return problems;
}

/** Half of what TLS needs must not become none of it. */
function tlsProblems(config: Config): string[] {
  const { grpcTlsCert, grpcTlsKey, grpcTlsClientCa, grpcTlsClientSan } = config;
  const problems: string[] = [];
  if ((grpcTlsCert === null) !== (grpcTlsKey === null)) {
    problems.push('SLUICE_GRPC_TLS_CERT and SLUICE_GRPC_TLS_KEY must be set together');
  }
  if (grpcTlsClientCa !== null && grpcTlsCert === null) {
    problems.push('SLUICE_GRPC_TLS_CLIENT_CA needs SLUICE_GRPC_TLS_CERT and SLUICE_GRPC_TLS_KEY');
  }
  if (grpcTlsClientSan !== null && grpcTlsClientCa === null) {
    problems.push('SLUICE_GRPC_TLS_CLIENT_SAN needs SLUICE_GRPC_TLS_CLIENT_CA');
  }
  return problems;
}

function xdsProblems(config: Config): string[] {
  const { rlsConfigDir, rlsXdsUrl, rlsXdsTls, rlsXdsTlsCa, rlsXdsTlsCert } = config;
  const { rlsXdsTlsKey, rlsXdsTlsName } = config;
  const problems: string[] = [];
  if (rlsConfigDir !== null && rlsXdsUrl !== null) {
    problems.push(
      'SLUICE_RLS_CONFIG_DIR and SLUICE_RLS_XDS_URL are two places to take rules from: set one of them',
    );
  }
  if (rlsXdsTls && rlsXdsUrl === null) {
    problems.push('SLUICE_RLS_XDS_TLS needs SLUICE_RLS_XDS_URL');
  }
  if ((rlsXdsTlsCert === null) !== (rlsXdsTlsKey === null)) {
    problems.push('SLUICE_RLS_XDS_TLS_CERT and SLUICE_RLS_XDS_TLS_KEY must be set together');
  }
  const isTlsMeant = [rlsXdsTlsCa, rlsXdsTlsCert, rlsXdsTlsName].some((one) => one !== null);
  if (isTlsMeant && !rlsXdsTls) {
    problems.push(
      'SLUICE_RLS_XDS_TLS_CA, SLUICE_RLS_XDS_TLS_CERT and SLUICE_RLS_XDS_TLS_NAME need SLUICE_RLS_XDS_TLS=on',
    );
  }
  return problems;
}

function workerProblems({ workers, redisUrl, databaseUrl }: Config): string[] {
  const problems: string[] = [];
  if (workers === 1 || workers === null) return problems;
  if (redisUrl === null) {
    problems.push(
      'SLUICE_WORKERS is above 1: set SLUICE_REDIS_URL too, so that they count together',
    );
  }
  if (databaseUrl === null) {
    problems.push(
      'SLUICE_WORKERS is above 1: set SLUICE_DATABASE_URL too, for one process has the embedded one',
    );
  }
  return problems;
}
