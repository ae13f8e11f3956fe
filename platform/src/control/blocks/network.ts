import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { InvalidInput } from 'sluice';

/** A range of addresses in one spelling: its first address and how many bits they share. */
export function parseNetwork(field: string, text: string): string {
  const [address = '', length, ...rest] = text.split('/');
  const bytes = bytesOf(address);
  const bits = length === undefined ? (bytes?.length ?? 0) * 8 : bitsOf(length);
  if (bytes === null || bits === null || bits > bytes.length * 8 || rest.length > 0) {
    throw new InvalidInput(
      field,
      'must be an address or a range, such as 203.0.113.9 or 2001:db8::/32',
    );
  }
  const network = isMapped(bytes) ? inner(field, bytes, bits) : { bytes, bits };
  return `${spell(cleared(network))}/${network.bits}`;
}

/** Every address there is. */
export function isEverybody(network: string): boolean {
  return network.endsWith('/0');
}

type Network = { readonly bytes: readonly number[]; readonly bits: number };

const mappedBits = 96;

function bytesOf(address: string): readonly number[] | null {
  if (isIPv4(address)) return address.split('.').map(Number);
  // A zone says which cable, and means nothing elsewhere.
  if (!isIPv6(address) || address.includes('%')) return null;
  const { address: canonical } = new SocketAddress({ address, family: 'ipv6' });
  return groupsOf(canonical).flatMap((group) => [group >> 8, group & 255]);
}

/** Of the canonical spelling, whose last two groups may be written as IPv4. */
function groupsOf(canonical: string): readonly number[] {
  const plain = canonical.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = plain
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...gap, ...tail];
}

function bitsOf(text: string): number | null {
  return /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

function isMapped(bytes: readonly number[]): boolean {
  return bytes.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
}

/** The IPv4 range that is written in IPv6 form. */
function inner(field: string, bytes: readonly number[], bits: number): Network {
  if (bits >= mappedBits) return { bytes: bytes.slice(12), bits: bits - mappedBits };
  throw new InvalidInput(
    field,
    `is IPv4 in IPv6 form, and then shares at least ${mappedBits} bits`,
  );
}

function cleared({ bytes, bits }: Network): readonly number[] {
  return bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - at * 8))) & 255);
}

function spell(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[at * 2] as number) * 256 + (bytes[at * 2 + 1] as number)).toString(16),
  );
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
