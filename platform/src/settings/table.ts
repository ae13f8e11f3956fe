import {
  parseAddress,
  parseAddressOrOff,
  parseBasePath,
  parseHeaderNames,
  parseKey,
  parseList,
  parseNetwork,
  parseNumber,
  parseOneOf,
  parseOrigin,
  parsePairs,
  parseRedis,
  parseRemote,
  parseSecret,
  parseSwitch,
  parseTags,
  parseText,
  parseUrl,
  parseWhole,
} from './values.ts';

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
export const settings = {
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
    'How long a check waits for Redis before each limit does as its `on_store_failure` says. Settlements, releases and the like wait a second, or as long as a check where that is longer.',
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
  rlsXdsUrl: optional(
    'SLUICE_RLS_XDS_URL',
    parseRemote,
    'A management server to take those rules from instead, by xDS: `host:port`.',
  ),
  rlsXdsNode: withDefault(
    'SLUICE_RLS_XDS_NODE',
    'default',
    parseText,
    'The node id that it is asked for.',
  ),
  rlsXdsTls: withDefault('SLUICE_RLS_XDS_TLS', 'off', parseSwitch, 'Asks it over TLS.'),
  rlsXdsTlsCa: optional(
    'SLUICE_RLS_XDS_TLS_CA',
    parseText,
    'Who must have signed its certificate: a PEM file, read at each connection. Without it those that Node trusts.',
  ),
  rlsXdsTlsCert: optional(
    'SLUICE_RLS_XDS_TLS_CERT',
    parseText,
    'The certificate that it is shown: a PEM file, read at each connection.',
  ),
  rlsXdsTlsKey: optional(
    'SLUICE_RLS_XDS_TLS_KEY',
    parseText,
    'The key of that certificate: a PEM file, read at each connection.',
  ),
  rlsXdsTlsName: optional(
    'SLUICE_RLS_XDS_TLS_NAME',
    parseText,
    'The name that its certificate must bear, where that is not the host of the address.',
  ),
  rlsTenants: withDefault(
    'SLUICE_RLS_TENANTS',
    'off',
    parseSwitch,
    'Lets gateways ask for a tenant by its id, without a key: the domain `tenant:<id>` is decided by its plan.',
  ),
  rlsJson: withDefault(
    'SLUICE_RLS_JSON',
    'on',
    parseSwitch,
    'Serves `POST /json`, which asks for no key. `off` where others reach the HTTP port and no gateway asks that way.',
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
    'What weeks, months and years of those rules are: `honest` those of the calendar, `reference` blocks of 7, 30 and 365 days since 1970.',
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
    'Puts every one of those rules into quota mode: a request is refused only where all of them would.',
  ),
  rlsMergeDomains: withDefault(
    'SLUICE_RLS_MERGE_DOMAINS',
    'off',
    parseSwitch,
    'Lets several of those files, or of what the management server sends, add to one domain.',
  ),
  rlsLocalCacheBytes: withDefault(
    'SLUICE_RLS_LOCAL_CACHE_BYTES',
    '0',
    parseWhole(0, 1_073_741_824),
    'How much memory a process uses to remember who is over until the window ends, so that Redis is not asked about them; 0 remembers nobody.',
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

export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>;
};
