import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { parseRedisUrl, shownRedisUrl } from './redis-url.ts';

/** Where to listen. Port 0 takes a free one. */
export type Address = { readonly host: string; readonly port: number };

/** How a setting is shown: a secret not at all, an address without its password. */
type Shown = 'plain' | 'secret' | 'url' | 'redis';

type Setting<T> = {
  /** The variable; in a file the same in lower case, without `SLUICE_`. */
  readonly name: string;
  /** As one would write it; null when there is none. */
  readonly fallback: string | null;
  readonly parse: (text: string) => T;
  readonly shown: Shown;
  readonly doc: string;
};

/** Every setting there is. `docs/configuration.md` is held to this table. */
const settings = {
  httpAddr: withDefault(
    'SLUICE_HTTP_ADDR',
    '127.0.0.1:8080',
    parseAddress,
    'Where HTTP is served. `0.0.0.0:8080` or `:8080` for all interfaces; port 0 for a free one.',
  ),
  adminAddr: optional(
    'SLUICE_ADMIN_ADDR',
    parseAddress,
    'Where the admin API and the live stream are served instead, and probes and metrics too.',
  ),
  grpcAddr: withDefault(
    'SLUICE_GRPC_ADDR',
    '127.0.0.1:8081',
    parseAddressOrOff,
    "Where gRPC is served, for Envoy's rate limit filter; `off` for nowhere.",
  ),
  grpcTlsCert: optional(
    'SLUICE_GRPC_TLS_CERT',
    parseText,
    'The certificate, with its chain, that gRPC is served under: a PEM file, read again when it changes. Without it there is no TLS.',
  ),
  grpcTlsKey: optional(
    'SLUICE_GRPC_TLS_KEY',
    parseText,
    'The key of that certificate: a PEM file, read again when it changes.',
  ),
  grpcTlsClientCa: optional(
    'SLUICE_GRPC_TLS_CLIENT_CA',
    parseText,
    'Who must have signed the certificates of gRPC clients: a PEM file, read again when it changes. Without it clients need none.',
  ),
  grpcTlsClientSan: optional(
    'SLUICE_GRPC_TLS_CLIENT_SAN',
    parseText,
    "A name that clients' certificates must bear too, such as `spiffe://mesh/envoy` or `DNS:envoy.internal`.",
  ),
  grpcReflection: withDefault(
    'SLUICE_GRPC_REFLECTION',
    'on',
    parseSwitch,
    'Lets tools such as grpcurl ask what gRPC services there are.',
  ),
  grpcConnectionAgeSeconds: withDefault(
    'SLUICE_GRPC_CONNECTION_AGE_SECONDS',
    '86400',
    parseWhole(1, 31_536_000),
    'After about so long a gRPC connection is asked to end once its calls are answered, so that new nodes get their share.',
  ),
  basePath: withDefault(
    'SLUICE_BASE_PATH',
    '',
    parseBasePath,
    'Serves everything under a prefix, such as `/limits`, that a proxy forwards as it is.',
  ),
  dataDir: withDefault(
    'SLUICE_DATA_DIR',
    './data',
    parseText,
    'Where the embedded database is kept.',
  ),
  databaseUrl: optional(
    'SLUICE_DATABASE_URL',
    parseUrl('postgres:', 'postgresql:'),
    'The PostgreSQL to use instead of the embedded one.',
    'url',
  ),
  databasePool: withDefault(
    'SLUICE_DATABASE_POOL',
    '10',
    parseWhole(1, 500),
    'Connections to PostgreSQL, at most.',
  ),
  redisUrl: optional(
    'SLUICE_REDIS_URL',
    parseRedis,
    'The Redis that counts: `redis://host:6379`, `redis+sentinel://host:26379,host:26379/name` or `redis+cluster://host:6379,host:6379`; with TLS `rediss…`. Without it counters live in this process.',
    'redis',
  ),
  redisUnsafe: withDefault(
    'SLUICE_REDIS_UNSAFE',
    'off',
    parseSwitch,
    'Starts even on a Redis that would lose or refuse counters: one that evicts, a replica, one too old, or without a permission. What is wrong is logged.',
  ),
  storeDeadlineMs: withDefault(
    'SLUICE_STORE_DEADLINE_MS',
    '50',
    parseWhole(1, 60_000),
    'How long a check waits for Redis before each limit does as its `on_store_failure` says.',
  ),
  unconfirmedKeysSeconds: withDefault(
    'SLUICE_UNCONFIRMED_KEYS_SECONDS',
    '30',
    parseWhole(3, 86_400),
    'How long a key that a node knows is believed while neither PostgreSQL nor Redis can say whether it was revoked.',
  ),
  unconfirmedKeys: withDefault(
    'SLUICE_UNCONFIRMED_KEYS',
    'accept',
    parseOneOf('accept', 'refuse'),
    "What becomes of its checks after that: `accept` (each limit's `on_store_failure` decides, and they are counted) or `refuse` (429 `unavailable`).",
  ),
  adminToken: optional(
    'SLUICE_ADMIN_TOKEN',
    parseSecret,
    'A token with all rights. Without it the first start makes one and prints it.',
    'secret',
  ),
  demo: withDefault('SLUICE_DEMO', 'on', parseSwitch, 'Seeds a demo tenant the first time.'),
  demoKey: optional(
    'SLUICE_DEMO_KEY',
    parseKey,
    "The demo tenant's key, `slk_…`. Without it the first start makes one.",
    'secret',
  ),
  rlsConfigDir: optional(
    'SLUICE_RLS_CONFIG_DIR',
    parseText,
    "A folder of YAML files of Envoy's reference service, read as they are and watched.",
  ),
  rlsTenants: withDefault(
    'SLUICE_RLS_TENANTS',
    'off',
    parseSwitch,
    'Lets gateways ask for a tenant by its id, without a key: the domain `tenant:<id>` is decided by its plan.',
  ),
  rlsDeadlineMs: withDefault(
    'SLUICE_RLS_DEADLINE_MS',
    '15',
    parseWhole(1, 60_000),
    'How long a gateway waits for Redis before `SLUICE_RLS_ON_STORE_FAILURE` decides. Envoy gives up after 20 ms unless told otherwise.',
  ),
  rlsOnStoreFailure: withDefault(
    'SLUICE_RLS_ON_STORE_FAILURE',
    'open',
    parseOneOf('open', 'closed', 'local', 'error'),
    'What a gateway is answered when Redis is not: `open`, `closed`, `local` (a share of the limit, in process) or `error`, which leaves it to the gateway.',
  ),
  rlsCharging: withDefault(
    'SLUICE_RLS_CHARGING',
    'atomic',
    parseOneOf('atomic', 'reference'),
    'Whether a request that is refused is charged: `atomic` not at all, `reference` for every descriptor, as the reference service does.',
  ),
  rlsCalendar: withDefault(
    'SLUICE_RLS_CALENDAR',
    'honest',
    parseOneOf('honest', 'reference'),
    'What weeks, months and years of those files are: `honest` those of the calendar, `reference` blocks of 7, 30 and 365 days since 1970.',
  ),
  rlsShadow: withDefault(
    'SLUICE_RLS_SHADOW',
    'off',
    parseSwitch,
    'Refuses no request of a gateway; statuses and statistics say who would be.',
  ),
  rlsQuota: withDefault(
    'SLUICE_RLS_QUOTA',
    'off',
    parseSwitch,
    'Puts every rule of those files into quota mode: a request is refused only where all of them would.',
  ),
  rlsMergeDomains: withDefault(
    'SLUICE_RLS_MERGE_DOMAINS',
    'off',
    parseSwitch,
    'Lets several of those files add to one domain.',
  ),
  rlsHeaders: withDefault(
    'SLUICE_RLS_HEADERS',
    'off',
    parseHeaderNames,
    'Sends the figures of the tightest rule: `on` as `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, or three names with commas between them.',
  ),
  rlsMetadata: withDefault(
    'SLUICE_RLS_METADATA',
    'off',
    parseSwitch,
    'Tells the gateway, as dynamic metadata, what it asked and the `metadata` of the rules that let it pass.',
  ),
  rlsTags: optional(
    'SLUICE_RLS_TAGS',
    parseTags,
    'Labels for all `ratelimit_` metrics, such as `region=eu,cell=b`: at most ten.',
  ),
  requestIdKeys: withDefault(
    'SLUICE_REQUEST_ID_KEYS',
    'off',
    parseSwitch,
    'Takes `X-Request-Id` for an idempotency key where a check brings no other: for clients whose retries keep it.',
  ),
  headerProfile: withDefault(
    'SLUICE_HEADER_PROFILE',
    'default',
    parseOneOf('default', 'ietf', 'trio', 'none'),
    'Which rate-limit headers are sent: `default`, `ietf`, `trio` or `none`.',
  ),
  corsOrigins: withDefault(
    'SLUICE_CORS_ORIGINS',
    '',
    parseList(parseOrigin),
    'Origins whose pages may call the API, with commas between them.',
  ),
  trustedProxies: withDefault(
    'SLUICE_TRUSTED_PROXIES',
    '',
    parseList(parseNetwork),
    'Networks whose `X-Forwarded-For` is believed, such as `10.0.0.0/8`, with commas between them.',
  ),
  drainSeconds: withDefault(
    'SLUICE_DRAIN_SECONDS',
    '5',
    parseNumber(0, 600),
    'How long to go on serving after SIGTERM, while `/v1/ready` is 503, before finishing.',
  ),
  connectionsMax: withDefault(
    'SLUICE_CONNECTIONS_MAX',
    '20000',
    parseWhole(1, 1_000_000),
    'HTTP connections that a process keeps open, at most; keep it below what the system allows in open files.',
  ),
  shedDelayMs: withDefault(
    'SLUICE_SHED_DELAY_MS',
    '50',
    parseWhole(1, 60_000),
    'An event loop that stays late by more than this is overload: checks of the lowest tier are refused unasked.',
  ),
  workers: withDefault(
    'SLUICE_WORKERS',
    '1',
    parseWhole(1, 256),
    'Processes that serve. More than one needs Redis and PostgreSQL.',
  ),
  webhookPrivate: withDefault(
    'SLUICE_WEBHOOK_PRIVATE',
    'off',
    parseSwitch,
    'Lets webhooks lead to `http://` and to private addresses: whoever may make one can then reach your network.',
  ),
  logLevel: withDefault(
    'SLUICE_LOG_LEVEL',
    'info',
    parseOneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  ),
  checkLog: withDefault(
    'SLUICE_CHECK_LOG',
    'all',
    parseOneOf('all', 'refused', 'none'),
    'Which checks get a log line: `all`, `refused` or `none`.',
  ),
  evidence: withDefault(
    'SLUICE_EVIDENCE',
    'on',
    parseSwitch,
    'Counts usage, keeps receipts, watches limits in shadow and warn, and feeds the live stream.',
  ),
  receiptSample: withDefault(
    'SLUICE_RECEIPT_SAMPLE',
    '0.01',
    parseNumber(0, 1),
    'The share of plainly allowed checks that get a receipt, 0 to 1. Refusals, warnings and shadow hits get theirs anyway.',
  ),
  subjectDays: withDefault(
    'SLUICE_SUBJECT_DAYS',
    '30',
    parseWhole(1, 3650),
    'How many days receipts and rollout reports, which name subjects, are kept.',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    parseUrl('http:', 'https:'),
    'Where traces are sent, by OTLP over HTTP. Without it there are none, and they cost nothing.',
    'url',
  ),
  otlpHeaders: optional(
    'OTEL_EXPORTER_OTLP_HEADERS',
    parsePairs,
    'Headers for that, as `name=value` with commas between them.',
    'secret',
  ),
  serviceName: withDefault('OTEL_SERVICE_NAME', 'sluice', parseText, 'The name that traces carry.'),
  traceRatio: withDefault(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    parseNumber(0, 1),
    'The share of traces that are kept, 0 to 1.',
  ),
} as const;

export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>;
};

/** The one variable that says where the others are. */
const fileSetting = 'SLUICE_CONFIG';

/** The settings are wrong; the message says which, and what to do, for all of them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The settings are not usable:', ...problems.map((line) => `  ${line}`)].join('\n'));
    this.problems = problems;
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment beats the file, the file beats the defaults. An empty variable is none. */
export function readConfig(env: Variables, filePath = env[fileSetting]): Config {
  const problems = unknownVariables(env);
  const fromFile = filePath ? readFile(filePath, problems) : {};
  const entries = Object.entries(settings).map(([property, setting]) => {
    const text = env[setting.name] || fromFile[setting.name] || setting.fallback;
    if (text === null) return [property, null];
    try {
      return [property, setting.parse(text)];
    } catch (error) {
      problems.push(`${setting.name} ${error instanceof Error ? error.message : String(error)}`);
      return [property, null];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** What each setting is, for the log: nobody's secret. */
export function redacted(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([property, { name, shown }]) => {
      const value = config[property as keyof Config];
      if (value === null || shown === 'plain') return [name, value];
      if (typeof value !== 'string' || shown === 'secret') return [name, '(set)'];
      return [name, shown === 'redis' ? shownRedisUrl(value) : withoutPassword(value)];
    }),
  );
}

/** The table, for the documentation. */
export const settingDocs: readonly {
  readonly name: string;
  readonly fallback: string | null;
  readonly doc: string;
}[] = Object.values(settings).map(({ name, fallback, doc }) => ({ name, fallback, doc }));

function withDefault<T>(
  name: string,
  fallback: string,
  parse: (text: string) => T,
  doc: string,
): Setting<T> {
  return { name, fallback, parse, shown: 'plain', doc };
}

function optional<T>(
  name: string,
  parse: (text: string) => T,
  doc: string,
  shown: Shown = 'plain',
): Setting<T | null> {
  return { name, fallback: null, parse, shown, doc };
}

function contradictions(config: Config): string[] {
  return [...addressProblems(config), ...tlsProblems(config), ...workerProblems(config)];
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

/** A setting that is misspelt does nothing, silently: the worst a setting can do. */
function unknownVariables(env: Variables): string[] {
  const known = [fileSetting, ...settingDocs.map(({ name }) => name)];
  return Object.keys(env)
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name))
    .map((name) => `${name} is not known${didYouMean(name, known)}`);
}

/** By variable. In a file a list may be a list, a number a number and a switch true or false. */
function readFile(path: string, problems: string[]): Record<string, string> {
  const file = parseFile(path, problems);
  const names = new Map(settingDocs.map(({ name }) => [fileKey(name), name]));
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(file)) {
    const name = names.get(key);
    const text = fileText(value);
    if (name === undefined) {
      problems.push(`${path}: "${key}" is not known${didYouMean(key, [...names.keys()])}`);
    } else if (text === null) {
      problems.push(`${path}: "${key}" must be text, a number, true, false or a list of texts`);
    } else {
      values[name] = text;
    }
  }
  return values;
}

function parseFile(path: string, problems: string[]): object {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file;
    problems.push(`${fileSetting}: ${path} must hold one JSON object`);
  } catch (error) {
    // What the parser says may quote the file, and the file may hold secrets.
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    problems.push(`${fileSetting}: ${path} ${reason}`);
  }
  return {};
}

function fileKey(name: string): string {
  return name.replace(/^SLUICE_/, '').toLowerCase();
}

function fileText(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'string') ? value.join(',') : null;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function didYouMean(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((other) => ({ other, steps: editSteps(name, other) }))
    .toSorted((a, b) => a.steps - b.steps);
  return nearest && nearest.steps <= name.length / 3 ? `; did you mean ${nearest.other}?` : '';
}

/** How many letters to add, drop or change to get from one to the other. */
function editSteps(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of from.split('').entries()) {
    const current = [row + 1];
    for (const [column, other] of to.split('').entries()) {
      const change = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const drop = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(change, drop, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  // Some put secrets into the query too.
  for (const name of new Set(shown.searchParams.keys())) shown.searchParams.set(name, '***');
  return shown.href;
}

// Parsers: the text → its meaning, or an error that goes on where the variable's name ends.

function parseText(text: string): string {
  if (text.trim() === text && !text.includes('\0')) return text;
  throw new Error('must not begin or end with a space');
}

function parseSecret(text: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text)) return text;
  throw new Error('must be 1 to 512 ASCII characters without spaces');
}

function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)=([^\s].*?)\s*$/.exec(pair));
  if (pairs.includes(null)) throw new Error('must be name=value pairs with commas between them');
  return Object.freeze(Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]])));
}

function parseKey(text: string): string {
  if (/^slk_[0-9A-Za-z]{21}_[0-9A-Za-z]{49}$/.test(text)) return text;
  throw new Error('must be a key in our format, slk_…');
}

function parseSwitch(text: string): boolean {
  const lower = text.toLowerCase();
  if (['on', 'true', '1', 'yes'].includes(lower)) return true;
  if (['off', 'false', '0', 'no'].includes(lower)) return false;
  throw new Error(`must be on or off, got ${quote(text)}`);
}

function parseOneOf<T extends string>(...known: readonly T[]): (text: string) => T {
  return (text) => {
    const found = known.find((value) => value === text);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${known.join(', ')}, got ${quote(text)}`);
  };
}

const headerNames = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Of limit, remaining and reset; null for none. */
function parseHeaderNames(text: string): readonly [string, string, string] | null {
  if (text === 'on') return headerNames;
  if (text === 'off') return null;
  const [limit = '', remaining = '', reset = '', ...more] = text
    .split(',')
    .map((one) => one.trim());
  const names = [limit, remaining, reset] as const;
  if (more.length === 0 && names.every((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name))) {
    return Object.freeze(names);
  }
  throw new Error(`must be on, off or three header names, got ${quote(text)}`);
}

const tagsMax = 10;
/** What those figures are told apart by already, and what Prometheus keeps to itself. */
const tagsTaken = ['domain', 'key1', 'key2', 'err_type', 'le', 'quantile', 'job', 'instance'];

function parseTags(text: string): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  const pairs = text.split(',').map((pair) => pair.trim());
  if (pairs.length > tagsMax) throw new Error(`must be at most ${tagsMax} labels`);
  for (const pair of pairs) {
    const [, name = '', value = ''] =
      /^([A-Za-z][A-Za-z0-9_]{0,63})=([\w.:/-]{1,64})$/.exec(pair) ?? [];
    if (name === '') {
      throw new Error(
        `must be labels such as region=eu,cell=b, of letters, digits and any of _.:/- with at most 64 characters each, got ${quote(pair)}`,
      );
    }
    if (tagsTaken.includes(name)) throw new Error(`has ${name}, which is taken`);
    if (Object.hasOwn(tags, name)) throw new Error(`has ${name} twice`);
    tags[name] = value;
  }
  return Object.freeze(tags);
}

function parseNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a number from ${min} to ${max}, got ${quote(text)}`);
  };
}

function parseWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}, got ${quote(text)}`);
  };
}

function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new Error(`must be host:port, such as 127.0.0.1:8080 or [::1]:8080, got ${quote(text)}`);
  }
  return Object.freeze({ host: match[1] ?? (match[2] || '0.0.0.0'), port });
}

function parseAddressOrOff(text: string): Address | null {
  return text.toLowerCase() === 'off' ? null : parseAddress(text);
}

function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  if (path === '' || /^(\/[A-Za-z0-9_.~-]+)+$/.test(path)) return path;
  throw new Error(`must be a path such as /limits, got ${quote(text)}`);
}

/** Without quoting it: it may hold a password. */
function parseUrl(...protocols: readonly string[]): (text: string) => string {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url && protocols.includes(url.protocol) && url.host !== '') return text;
    throw new Error(`must be an address that begins with ${protocols[0]}//`);
  };
}

/** As it was written: it is read where it is opened. */
function parseRedis(text: string): string {
  parseRedisUrl(text);
  return text;
}

function parseList<T>(parseOne: (text: string) => T): (text: string) => readonly T[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    return Object.freeze(items.filter((item) => item !== '').map(parseOne));
  };
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && url.origin === text && /^https?:$/.test(url.protocol)) return text;
  throw new Error(
    `must be origins as browsers send them, such as https://app.example.com, got ${quote(text)}`,
  );
}

function parseNetwork(text: string): string {
  const [address = '', bits] = text.split('/', 2);
  const version = isIP(address);
  try {
    if (bits !== undefined && !/^\d{1,3}$/.test(bits)) throw new RangeError('prefix');
    const longest = version === 6 ? 128 : 32;
    new BlockList().addSubnet(address, Number(bits ?? longest), version === 6 ? 'ipv6' : 'ipv4');
    return text;
  } catch {
    throw new Error(`must be networks such as 10.0.0.0/8 or 2001:db8::/32, got ${quote(text)}`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
