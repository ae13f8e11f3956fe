/** An address in one spelling, as numbers: 4 of 8 bits, or 8 of 16. */
export type ParsedAddress = { readonly text: string; readonly groups: readonly number[] };

/** No port, zone or brackets; IPv4 in IPv6 form is IPv4; else null. */
export function parseAddress(text: string): ParsedAddress | null {
  const bare = withoutPort(text.trim());
  const [address = ''] = bare.split('%', 1);
  return parseV4(address) ?? parseV6(address);
}

/** Whose counter it is: IPv6 by its network, for whoever has one address of it has all. */
export function addressGroup({ text, groups }: ParsedAddress, ipv6Prefix: number): string {
  if (groups.length === 4 || ipv6Prefix === 128) return text;
  const kept = groups.map((group, at) => group & maskOf(ipv6Prefix - at * 16, 16));
  return `${spellV6(kept)}/${ipv6Prefix}`;
}

/** Of so many bits the leading ones. */
export function maskOf(prefix: number, bits: 8 | 16): number {
  const kept = Math.max(0, Math.min(bits, prefix));
  return ((1 << bits) - 1) & ~((1 << (bits - kept)) - 1);
}

/** `[::1]:443` and `203.0.113.9:443`; a bare IPv6 address has no port. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return bracketed[1] ?? '';
  return /^([^:]*):\d{1,5}$/.exec(text)?.[1] ?? text;
}

function parseV4(text: string): ParsedAddress | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null;
  const groups = text.split('.').map(Number);
  // A leading zero is octal to some readers and decimal to others.
  const isPlain = groups.join('.') === text && groups.every((group) => group <= 255);
  return isPlain ? { text, groups } : null;
}

function parseV6(text: string): ParsedAddress | null {
  const groups = groupsOfV6(text);
  if (!groups) return null;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return { text: spellV6(groups), groups };
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
  return { text: bytes.join('.'), groups: bytes };
}

function groupsOfV6(text: string): number[] | null {
  if (text.length < 2 || text.length > 45 || !/^[0-9a-f:.]+$/i.test(text)) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map(groupsOfHalf);
  if (!head || (halves.length === 2 && !tail)) return null;
  if (!tail) return head.length === 8 ? head : null;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? null : [...head, ...Array<number>(missing).fill(0), ...tail];
}

function groupsOfHalf(text: string): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const tail = last.includes('.') ? parseV4(last) : null;
  if (last.includes('.') && !tail) return null;
  const words = tail ? parts.slice(0, -1) : parts;
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return null;
  const [a = 0, b = 0, c = 0, d = 0] = tail?.groups ?? [];
  const groups = words.map((word) => Number.parseInt(word, 16));
  return tail ? [...groups, (a << 8) | b, (c << 8) | d] : groups;
}

/** As RFC 5952 has it: the longest run of zeros is `::`, the first of several. */
function spellV6(groups: readonly number[]): string {
  let start = -1;
  let length = 1;
  for (let at = 0; at < 8; at += 1) {
    let end = at;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - at > length) [start, length] = [at, end - at];
    if (end > at) at = end;
  }
  const spell = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (start === -1) return spell(groups);
  return `${spell(groups.slice(0, start))}::${spell(groups.slice(start + length))}`;
}
