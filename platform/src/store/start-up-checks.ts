import { Cluster, type Redis } from 'ioredis';
import { deniedCommands } from './permissions.ts';
import { onServerBack, serversOf, type Connection } from './redis-connection.ts';
import { hasKnownHoles, isTooOld, repairedVersions, versionIn } from './server-versions.ts';

export type FindingCode =
  | 'redis_evicts'
  | 'redis_is_replica'
  | 'redis_too_old'
  | 'redis_lacks_permission'
  | 'redis_is_one_of_a_cluster'
  | 'redis_has_known_holes'
  | 'redis_not_checked';

/** Something about a Redis that an operator should know, and what to do about it. */
export type Finding = {
  readonly code: FindingCode;
  /** With this, counters get lost or nothing is counted: it is not started on. */
  readonly isUnsafe: boolean;
  readonly text: string;
};

type Asked = { readonly server: Redis; readonly isCluster: boolean };

/**
 * What is wrong with the servers behind a connection. Looked at when the service starts, and again
 * whenever a server comes: another one may have taken its place.
 */
export class StartUpChecks {
  readonly #connection: Connection;
  readonly #onFinding: (finding: Finding) => void;
  #findings: readonly Finding[] = [];

  constructor(connection: Connection, onFinding: (finding: Finding) => void) {
    this.#connection = connection;
    this.#onFinding = onFinding;
  }

  /** What was found last. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Those of them that make it unsafe to count there, in words for the operator. */
  get faults(): readonly string[] {
    return this.#findings.filter(({ isUnsafe }) => isUnsafe).map(({ text }) => text);
  }

  /** Why not to start on it; null when it is safe. */
  get refusal(): string | null {
    const { faults } = this;
    if (faults.length === 0) return null;
    return [
      'This Redis is not safe to count in (SLUICE_REDIS_UNSAFE=on starts all the same):',
      ...faults.map((text) => `  ${text}`),
    ].join('\n');
  }

  /** From now on, whenever a server comes. */
  watch(): void {
    onServerBack(this.#connection, () => void this.look().catch(() => {}));
  }

  async look(): Promise<void> {
    const isCluster = this.#connection instanceof Cluster;
    const servers = serversOf(this.#connection);
    const found = await Promise.all(servers.map((server) => findingsOf({ server, isCluster })));
    const known = new Set(this.#findings.map(({ text }) => text));
    this.#findings = unique(found.flat());
    for (const finding of this.#findings) if (!known.has(finding.text)) this.#onFinding(finding);
  }
}

/** Several servers of a cluster have the same fault: it is said once. */
function unique(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.text, finding])).values()];
}

async function findingsOf({ server, isCluster }: Asked): Promise<readonly Finding[]> {
  const info = await infoOf(server);
  const version = info && versionIn(info);
  const isOld = version !== null && isTooOld(version);
  // The question itself is put by a script, which an old server does not understand.
  const denied = isOld ? null : await deniedCommands(server, isCluster);
  const unseen = [
    ...(info ? [] : ['the version, the eviction policy and whether it is a replica (no +info)']),
    ...(denied || isOld ? [] : ['the permissions']),
  ];
  return [
    ...(info ? [...policyFindings(info), ...placeFindings(info, isCluster)] : []),
    ...(version ? versionFindings(version) : []),
    ...permissionFindings(denied ?? []),
    ...(unseen.length === 0
      ? []
      : [found('redis_not_checked', `could not be checked: ${unseen.join('; ')}`)]),
  ];
}

function policyFindings(info: ReadonlyMap<string, string>): readonly Finding[] {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy === 'noeviction') return [];
  const isBounded = Number(info.get('maxmemory') ?? 0) > 0;
  const text = `evicts keys when its memory is full (maxmemory-policy ${policy}), and who is evicted may begin anew: set maxmemory-policy noeviction`;
  return [
    isBounded
      ? unsafe('redis_evicts', text)
      : found('redis_evicts', `${text}, before maxmemory is set`),
  ];
}

function placeFindings(info: ReadonlyMap<string, string>, isCluster: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  if (info.get('role') === 'slave') {
    const text =
      'is a replica and takes no writes: name the primary, or the sentinels that know it (redis+sentinel://…)';
    findings.push(unsafe('redis_is_replica', text));
  }
  if (!isCluster && info.get('cluster_enabled') === '1') {
    const text =
      'is part of a cluster, whose other servers have the other keys: name some of its servers as redis+cluster://host:6379,host:6379';
    findings.push(unsafe('redis_is_one_of_a_cluster', text));
  }
  return findings;
}

function versionFindings(version: NonNullable<ReturnType<typeof versionIn>>): readonly Finding[] {
  const name = `is ${version.product} ${version.text}`;
  if (isTooOld(version)) {
    const text = `${name}, which does not know our scripts: take 7.0 or later`;
    return [unsafe('redis_too_old', text)];
  }
  if (!hasKnownHoles(version)) return [];
  const text = `${name}, in whose script engine there are known holes (CVE-2025-49844 and others) unless your packager closed them: take ${repairedVersions(version)} or later`;
  return [found('redis_has_known_holes', text)];
}

function permissionFindings(denied: readonly string[]): readonly Finding[] {
  if (denied.length === 0) return [];
  const rights = denied.map((name) => `+${name}`).join(' ');
  const text = `does not let this user do all that is needed on keys sl1:* and sl1c:*: give it what is missing with ACL SETUSER (~sl1:* ~sl1c:* ${rights}); docs/redis.md has the whole line`;
  return [unsafe('redis_lacks_permission', text)];
}

function unsafe(code: FindingCode, text: string): Finding {
  return { code, isUnsafe: true, text: `Redis ${text}` };
}

function found(code: FindingCode, text: string): Finding {
  return { code, isUnsafe: false, text: `Redis ${text}` };
}

/** Null when this user may not see it. */
async function infoOf(server: Redis): Promise<ReadonlyMap<string, string> | null> {
  try {
    const text = await server.info();
    const lines = [...text.matchAll(/^(\w+):(.*?)\r?$/gm)];
    return new Map(lines.map(([, name = '', value = '']) => [name, value]));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return null;
    throw error;
  }
}
