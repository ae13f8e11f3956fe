import { isIPv6 } from 'node:net';
import { networkOf } from './address-failures.ts';

/** An address among the attributes counts by its network: whoever has one address of it has all. */
export function addressAttribute(value: string): string {
  return value.includes(':') && isIPv6(value) ? networkOf(value) : value;
}
