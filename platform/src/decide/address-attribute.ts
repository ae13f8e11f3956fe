import { isIPv6, SocketAddress } from 'node:net';
import { addressGroup } from './address-failures.ts';

/** An address among the attributes counts by its network: whoever has one address of it has all. */
export function addressAttribute(value: string): string {
  if (!value.includes(':') || !isIPv6(value)) return value;
  const [address = ''] = value.split('%', 1);
  // One spelling first: `::ffff:cb00:7109` is IPv4 too.
  return addressGroup(new SocketAddress({ address, family: 'ipv6' }).address);
}
