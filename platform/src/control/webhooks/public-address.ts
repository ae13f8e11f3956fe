import { BlockList, isIP, type LookupFunction } from 'node:net';
import { lookup } from 'node:dns';

/** Addresses that are not of the public Internet: ours, our neighbours', or nobody's. */
const notPublic = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  // Teredo, benchmarks and documentation; 6to4, which carries an IPv4 address; documentation again.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv6');
}

/** Of IPv6 only this is given out; IPv4 in its form, loopback, link-local and the like are not. */
const given = new BlockList();
given.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%', 1);
  const version = isIP(bare);
  if (version === 4) return !notPublic.check(bare, 'ipv4');
  return version === 6 && given.check(bare, 'ipv6') && !notPublic.check(bare, 'ipv6');
}

/** Where a name leads is not where we go. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError';

  constructor() {
    super('the address is not public');
  }
}

/**
 * Resolves a name for the connection that is about to be made, so that what was checked is what is
 * connected to. A name with one address that is not public has none for us.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new NotPublicError(), '');
    }
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
