import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import { InvalidInput } from 'sluice';

declare module 'fastify' {
  interface FastifyInstance {
    readonly trustedProxies: BlockList | null;
  }
}

/** A chain of proxies is never this long: beyond, it is made up. */
const hopsMax = 32;

/** Who may say for whom they speak. Without any, the peer is all there is. */
export function trustProxies(app: FastifyInstance, networks: readonly string[]): void {
  app.decorate('trustedProxies', networks.length === 0 ? null : parseNetworks(networks));
}

/** Whose request it is: the peer's, or the one for whom a trusted peer speaks. */
export function clientAddress(request: FastifyRequest): string {
  // Gone when the connection is: then there is nobody to answer either.
  const peer = request.socket.remoteAddress ?? '';
  const { trustedProxies } = request.server;
  // As nearly always: nothing to look for, and one spelling already.
  if (trustedProxies === null && isIPv4(peer)) return peer;
  const chain = request.headers['x-forwarded-for'];
  return findClient(peer, [chain ?? []].flat().join(','), trustedProxies);
}

/**
 * From the right, as long as who speaks is trusted: all further left may be the caller's invention.
 * Only this header counts. `Forwarded` and the many `X-Real-IP` pass most proxies untouched.
 */
export function findClient(peer: string, chain: string, trusted: BlockList | null): string {
  let current = parseAddress(peer) ?? peer;
  if (trusted === null) return current;
  let end = chain.length;
  for (let hop = 0; hop < hopsMax && end > 0 && isIn(trusted, current); hop += 1) {
    const start = chain.lastIndexOf(',', end - 1) + 1;
    const next = parseAddress(chain.slice(start, end).trim());
    if (next === null) break;
    current = next;
    end = start - 1;
  }
  return current;
}

/** One spelling per address: no port, zone or brackets, IPv4 as such, IPv6 as in RFC 5952. */
export function parseAddress(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? withoutPort(text);
  const [address = ''] = bare.split('%', 1);
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = canonical.startsWith('::ffff:') ? canonical.slice('::ffff:'.length) : '';
  return isIPv4(mapped) ? mapped : canonical;
}

export function parseNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [text = '', bits, ...rest] = network.split('/');
    const address = parseAddress(text);
    const longest = address !== null && isIPv4(address) ? 32 : 128;
    const prefix = bits === undefined ? longest : Number(bits);
    const isPrefix = /^\d{1,3}$/.test(bits ?? '0') && prefix <= longest;
    if (address === null || !isPrefix || rest.length > 0) {
      throw new InvalidInput(
        'trustedProxies',
        `must be networks like 10.0.0.0/8, got ${network.slice(0, 64)}`,
      );
    }
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

function withoutPort(text: string): string {
  return /^([^:]*):\d{1,5}$/.exec(text)?.[1] ?? text;
}
