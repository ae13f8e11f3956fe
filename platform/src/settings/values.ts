import { BlockList, isIP } from 'node:net';
import { parseRedisUrl } from '../redis-url.ts';

/** Where to listen. Port 0 takes a free one. */
export type Address = { readonly host: string; readonly port: number };

// Parsers: the text → its meaning, or an error that goes on where the variable's name ends.

export function parseText(text: string): string {
  if (text.trim() === text && !text.includes('\0')) return text;
  throw new Error('must not begin or end with a space');
}

export function parseSecret(text: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text)) return text;
  throw new Error('must be 1 to 512 ASCII characters without spaces');
}

export function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)=([^\s].*?)\s*$/.exec(pair));
  if (pairs.includes(null)) throw new Error('must be name=value pairs with commas between them');
  return Object.freeze(Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]])));
}

export function parseKey(text: string): string {
  if (/^slk_[0-9A-Za-z]{21}_[0-9A-Za-z]{49}$/.test(text)) return text;
  throw new Error('must be a key in our format, slk_…');
}

export function parseSwitch(text: string): boolean {
  const lower = text.toLowerCase();
  if (['on', 'true', '1', 'yes'].includes(lower)) return true;
  if (['off', 'false', '0', 'no'].includes(lower)) return false;
  throw new Error(`must be on or off, got ${quote(text)}`);
}

export function parseOneOf<T extends string>(...known: readonly T[]): (text: string) => T {
  return (text) => {
    const found = known.find((value) => value === text);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${known.join(', ')}, got ${quote(text)}`);
  };
}

const headerNames = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Of limit, remaining and reset; null for none. */
export function parseHeaderNames(text: string): readonly [string, string, string] | null {
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

export function parseTags(text: string): Readonly<Record<string, string>> {
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

export function parseNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a number from ${min} to ${max}, got ${quote(text)}`);
  };
}

export function parseWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}, got ${quote(text)}`);
  };
}

export function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new Error(`must be host:port, such as 127.0.0.1:8080 or [::1]:8080, got ${quote(text)}`);
  }
  return Object.freeze({ host: match[1] ?? (match[2] || '0.0.0.0'), port });
}

/** Of somebody else: as it was written. */
export function parseRemote(text: string): string {
  const match = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[1]);
  if (match && port >= 1 && port <= 65_535) return text;
  throw new Error(`must be host:port, such as control.example:18000, got ${quote(text)}`);
}

export function parseAddressOrOff(text: string): Address | null {
  return text.toLowerCase() === 'off' ? null : parseAddress(text);
}

export function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  if (path === '' || /^(\/[A-Za-z0-9_.~-]+)+$/.test(path)) return path;
  throw new Error(`must be a path such as /limits, got ${quote(text)}`);
}

/** Without quoting it: it may hold a password. */
export function parseUrl(...protocols: readonly string[]): (text: string) => string {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url && protocols.includes(url.protocol) && url.host !== '') return text;
    throw new Error(`must be an address that begins with ${protocols[0]}//`);
  };
}

/** As it was written: it is read where it is opened. */
export function parseRedis(text: string): string {
  parseRedisUrl(text);
  return text;
}

export function parseList<T>(parseOne: (text: string) => T): (text: string) => readonly T[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    return Object.freeze(items.filter((item) => item !== '').map(parseOne));
  };
}

export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && url.origin === text && /^https?:$/.test(url.protocol)) return text;
  throw new Error(
    `must be origins as browsers send them, such as https://app.example.com, got ${quote(text)}`,
  );
}

export function parseNetwork(text: string): string {
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
