import type { Request, Response } from 'express';
import { addressGroup, parseAddress } from '../../address/index.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe, parseWhole } from '../../core/numbers.ts';
import type { ValueFrom } from './options.ts';

/** IPv6 by its network, for whoever has one address of it has all; `false`: every address by itself. */
export function ipKeyGenerator(ip: string, ipv6Subnet: number | false = 56): string {
  const address = typeof ip === 'string' ? parseAddress(ip) : null;
  if (!address) throw new InvalidInput('ip', `must be an address, got ${describe(ip)}`);
  const prefix =
    ipv6Subnet === false ? 128 : parseWhole('ipv6Subnet', ipv6Subnet, { min: 1, max: 128 });
  return addressGroup(address, prefix);
}

/** Whom Express takes for the caller, by its setting `trust proxy`. */
export async function addressKey(
  req: Request,
  res: Response,
  ipv6Subnet: ValueFrom<number | false>,
): Promise<string> {
  if (req.ip === undefined) {
    throw new InvalidInput('request.ip', 'is absent; say who calls with a `keyGenerator`');
  }
  const subnet = typeof ipv6Subnet === 'function' ? await ipv6Subnet(req, res) : ipv6Subnet;
  return ipKeyGenerator(req.ip, subnet);
}
