// How a Redis, its Sentinels or a Cluster are named in one setting. Nothing in here says a password.

export type HostPort = { readonly host: string; readonly port: number };

export type RedisAddress = Access &
  (
    | { readonly kind: 'single'; readonly server: HostPort; readonly db: number }
    | {
        readonly kind: 'sentinel';
        readonly sentinels: readonly HostPort[];
        /** What the sentinels call the primary and its replicas. */
        readonly masterName: string;
        readonly db: number;
        readonly sentinelUsername: string | null;
        readonly sentinelPassword: string | null;
      }
    | { readonly kind: 'cluster'; readonly servers: readonly HostPort[] }
  );

type Access = {
  readonly username: string | null;
  readonly password: string | null;
  /** Null for a connection in the clear. */
  readonly tls: Tls | null;
};

export type Tls = {
  /** The path of a file with the authorities to trust instead of the system's. */
  readonly caPath: string | null;
  /** The name that the certificate must have, where it is not the host's. */
  readonly servername: string | null;
};

type Kind = RedisAddress['kind'];

/** What is said of an address that can't be read: goes on where the name of the setting ends. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
}

const forms =
  'redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379 (rediss… for TLS)';
const addressesMax = 64;
const textMax = 4096;
const ports = { single: 6379, cluster: 6379, sentinel: 26_379 } as const satisfies Record<
  Kind,
  number
>;

const tlsOptions = ['ca', 'servername'];
const sentinelOptions = ['sentinel_username', 'sentinel_password'];

export function parseRedisUrl(text: string): RedisAddress {
  if (text.length > textMax) throw new RedisUrlError(`must have ${textMax} characters at most`);
  const urls = readUrls(text);
  return urls.length === 1 ? addressOf(urls[0] as Url) : clusterOf(urls);
}

/** The same address for people to read: without passwords. */
export function shownRedisUrl(text: string): string {
  const shown = readUrls(text).map(({ scheme, user, hosts, path, query }) => {
    const who = user === null ? '' : `${user.replace(/:.*/s, ':***')}@`;
    const asked = query === '' ? '' : `?${query.replaceAll(/=[^&]*/g, '=***')}`;
    return `${scheme}://${who}${hosts}${path}${asked}`;
  });
  return shown.join(',');
}

type Url = {
  readonly scheme: string;
  readonly kind: Kind;
  readonly isTls: boolean;
  /** As written, before the `@`. */
  readonly user: string | null;
  readonly hosts: string;
  readonly path: string;
  readonly query: string;
};

/** One, or several whole ones with commas between them. */
function readUrls(text: string): readonly Url[] {
  return text.split(/,(?=\s*rediss?:\/\/)/).map((one) => readUrl(one.trim()));
}

/** Into its parts, as they are written: the standard's URLs have one host only. */
function readUrl(text: string): Url {
  const match =
    /^((rediss?)(?:\+(sentinel|cluster))?):\/\/(?:([^/?#]*)@)?([^/?#@]+)(\/[^?#@]*)?(?:\?([^#]*))?$/.exec(
      text,
    );
  if (!match) {
    throw new RedisUrlError(
      `must be an address that begins with redis:// and has one of the forms ${forms}; write / ? # and @ in a password as %2F %3F %23 and %40`,
    );
  }
  const [, scheme = '', protocol, kind, user, hosts = '', path = '', query = ''] = match;
  return {
    scheme,
    kind: (kind as Kind | undefined) ?? 'single',
    isTls: protocol === 'rediss',
    user: user ?? null,
    hosts,
    path: path === '/' ? '' : path,
    query,
  };
}

function addressOf(url: Url): RedisAddress {
  const { kind } = url;
  const options = readOptions(url);
  const access = { ...accessOf(url), tls: tlsOf(url, options) };
  const servers = url.hosts.split(',').map((host) => readHost(host, ports[kind]));
  if (servers.length > addressesMax) {
    throw new RedisUrlError(`must have ${addressesMax} addresses at most; a few are enough`);
  }
  if (kind === 'sentinel') {
    const [name = '', db] = url.path.slice(1).split('/', 2).map(decode);
    if (!/^[\w.-]{1,128}$/.test(name) || url.path.split('/').length > 3) {
      throw new RedisUrlError(
        'must have the name that the sentinels give the primary after their addresses, such as redis+sentinel://host:26379/mymaster, and perhaps a database after it (/mymaster/0)',
      );
    }
    return {
      kind,
      ...access,
      sentinels: servers,
      masterName: name,
      db: readDb(db),
      sentinelUsername: options.get('sentinel_username') ?? null,
      sentinelPassword: options.get('sentinel_password') ?? null,
    };
  }
  if (kind === 'cluster') {
    if (url.path !== '') {
      throw new RedisUrlError('must not name a database: a Redis Cluster has one only');
    }
    return { kind, ...access, servers };
  }
  if (servers.length > 1) {
    throw new RedisUrlError(
      'must name one server; those of a cluster are named as redis+cluster://host:6379,host:6379',
    );
  }
  return {
    kind,
    ...access,
    server: servers[0] as HostPort,
    db: readDb(url.path === '' ? undefined : decode(url.path.slice(1))),
  };
}

/** The older form: several whole addresses, of which the first says how to log in. */
function clusterOf(urls: readonly Url[]): RedisAddress {
  const [first] = urls as [Url];
  if (urls.some(({ isTls }) => isTls !== first.isTls)) {
    throw new RedisUrlError('must have all addresses with redis:// or all with rediss://');
  }
  const hosts = urls.map((one) => one.hosts).join(',');
  return addressOf({ ...first, kind: 'cluster', hosts });
}

function accessOf({ user }: Url): Omit<Access, 'tls'> {
  if (user === null) return { username: null, password: null };
  const at = user.indexOf(':');
  const [name, password] = at < 0 ? [user, ''] : [user.slice(0, at), user.slice(at + 1)];
  return { username: decode(name) || null, password: decode(password) || null };
}

function tlsOf({ isTls }: Url, options: ReadonlyMap<string, string>): Tls | null {
  if (!isTls) return null;
  return { caPath: options.get('ca') ?? null, servername: options.get('servername') ?? null };
}

function readOptions({ kind, isTls, query }: Url): ReadonlyMap<string, string> {
  const known = [...(isTls ? tlsOptions : []), ...(kind === 'sentinel' ? sentinelOptions : [])];
  const options = new Map<string, string>();
  for (const part of query.split('&').filter((one) => one !== '')) {
    const at = part.indexOf('=');
    const name = at < 0 ? part : part.slice(0, at);
    if (!known.includes(name)) throw new RedisUrlError(unknownOption(name, known));
    if (at < 0 || at === part.length - 1 || options.has(name)) {
      throw new RedisUrlError(`must give ${name} one value, as ${name}=…`);
    }
    options.set(name, decode(part.slice(at + 1)));
  }
  return options;
}

function unknownOption(name: string, known: readonly string[]): string {
  if (tlsOptions.includes(name)) {
    return `has the option ${name}, which is for TLS: begin the address with rediss instead of redis`;
  }
  const all = known.length === 0 ? 'has none here' : `knows ${known.join(' and ')} here`;
  return `must have no option but those it knows: it ${all}`;
}

function readHost(text: string, defaultPort: number): HostPort {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text.trim());
  const port = Number(match?.[3] ?? defaultPort);
  if (!match || port < 1 || port > 65_535) {
    throw new RedisUrlError(
      'must have each address as host:port, such as redis.example:6379 or [::1]:6379; write : and , in a user name as %3A and %2C',
    );
  }
  return { host: match[1] ?? (match[2] as string), port };
}

function readDb(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new RedisUrlError('must have the database as a number at its end, such as /0');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisUrlError('has a % that begins no character: write % itself as %25');
  }
}
