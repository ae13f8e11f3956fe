import { InvalidInput } from '../core/errors.ts';
import { describe } from '../core/numbers.ts';
import { maskOf, parseAddress, type ParsedAddress } from './address.ts';

/** Who may say for whom they speak: so many hops before us, or whoever is in these networks. */
export type TrustedProxies = number | readonly string[];

type Network = { readonly groups: readonly number[]; readonly prefix: number };
export type ProxyTest = (address: ParsedAddress | null, hop: number) => boolean;

const hopsMax = 32;

export function parseProxies(field: string, trusted: TrustedProxies): ProxyTest {
  if (typeof trusted === 'number') {
    if (!Number.isInteger(trusted) || trusted < 0 || trusted > hopsMax) {
      throw new InvalidInput(field, `must be a number of hops from 0 to ${hopsMax}`);
    }
    return (_address, hop) => hop < trusted;
  }
  if (!Array.isArray(trusted)) {
    throw new InvalidInput(
      field,
      `must be a number of hops or a list of networks, got ${describe(trusted)}; to trust everybody is to trust nobody`,
    );
  }
  const networks = trusted.map((text: unknown, at) => parseNetwork(`${field}[${at}]`, text));
  return (address) => address !== null && networks.some((network) => isIn(network, address));
}

/**
 * From the right of `X-Forwarded-For`, as long as who speaks is trusted: all further left may be the
 * caller's invention. Null when nobody with an address remains.
 */
export function findClient(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: ProxyTest,
): ParsedAddress | null {
  let current = peer === undefined ? null : parseAddress(peer);
  let end = forwardedFor?.length ?? 0;
  for (let hop = 0; hop < hopsMax && end > 0 && isTrusted(current, hop); hop += 1) {
    const start = (forwardedFor ?? '').lastIndexOf(',', end - 1) + 1;
    const next = parseAddress((forwardedFor ?? '').slice(start, end));
    if (next === null) break;
    current = next;
    end = start - 1;
  }
  return current;
}

function parseNetwork(field: string, text: unknown): Network {
  const [base = '', bits, ...rest] = typeof text === 'string' ? text.split('/') : [];
  const address = parseAddress(base);
  const longest = address?.groups.length === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  const isPrefix = /^\d{1,3}$/.test(bits ?? '0') && prefix <= longest;
  if (address && isPrefix && rest.length === 0) return { groups: address.groups, prefix };
  throw new InvalidInput(field, 'must be a network such as 10.0.0.0/8 or 2001:db8::/32');
}

function isIn({ groups, prefix }: Network, address: ParsedAddress): boolean {
  if (groups.length !== address.groups.length) return false;
  const bits = groups.length === 4 ? 8 : 16;
  return groups.every((group, at) => {
    const mask = maskOf(prefix - at * bits, bits);
    return (group & mask) === ((address.groups[at] ?? 0) & mask);
  });
}
