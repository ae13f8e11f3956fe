import { describe, expect, it } from 'vitest';
import { addressGroup, findClient, parseAddress, parseProxies } from './index.ts';

const grouped = (text: string, prefix = 64) => {
  const parsed = parseAddress(text);
  return parsed && addressGroup(parsed, prefix);
};

describe('an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:443', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]:8443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['fe80::1%25eth0', 'fe80::/64'],
    ['::1', '::/64'],
  ])('has one spelling, by its network: %s', (text, expected) => {
    expect(grouped(text)).toBe(expected);
  });

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4.5',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3.4.5',
    'g::1',
    ' ',
    '1.2.3.4/8',
    '[::1',
    '::1]',
    ':80',
    '1.2.3.4:x',
    `${'1:'.repeat(60)}1`,
  ])('is none: %j', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it('counts by other networks where that is wanted', () => {
    expect(grouped('2001:db8:1:2ff::7', 56)).toBe('2001:db8:1:200::/56');
    expect(grouped('2001:db8:1:2ff::7', 48)).toBe('2001:db8:1::/48');
    expect(grouped('2001:db8:1:2ff::7', 128)).toBe('2001:db8:1:2ff::7');
    expect(grouped('203.0.113.9', 48)).toBe('203.0.113.9');
  });

  it('rotates within its network to no avail, and is told from the next', () => {
    expect(grouped('2001:db8::1')).toBe(grouped('2001:db8::ffff:1'));
    expect(grouped('2001:db8:0:1::1')).not.toBe(grouped('2001:db8:0:2::1'));
  });
});

describe('behind proxies the caller', () => {
  const found = (trusted: number | readonly string[], peer: string, chain?: string) =>
    findClient(peer, chain, parseProxies('trustProxy', trusted))?.text;

  const networks = ['10.0.0.0/8', '2001:db8:aaaa::/48', '::1'];

  it.each([
    ['10.1.1.1', '198.51.100.9, 203.0.113.7, 10.2.2.2', '203.0.113.7', 'the rightmost untrusted'],
    ['203.0.113.50', '198.51.100.9', '203.0.113.50', 'an untrusted peer speaks for itself'],
    ['10.1.1.1', 'spoofed, 203.0.113.7', '203.0.113.7', 'further left is never looked at'],
    ['10.1.1.1', '10.9.9.9', '10.9.9.9', 'all trusted: the leftmost'],
    ['10.1.1.1', 'unknown', '10.1.1.1', 'what is no address ends the walk'],
    ['10.1.1.1', '203.0.113.7, unknown', '10.1.1.1', 'nothing is skipped over'],
    ['10.1.1.1', '203.0.113.7,', '10.1.1.1', 'an empty element is no address'],
    ['10.1.1.1', '', '10.1.1.1', 'nobody was spoken for'],
    ['10.1.1.1', '203.0.113.7:4711', '203.0.113.7', 'a port is not part of it'],
    ['10.1.1.1', '[2001:db8::7]:4711', '2001:db8::7', 'nor are brackets'],
    ['10.1.1.1', '2001:DB8:0:0::0007', '2001:db8::7', 'one spelling per address'],
    ['10.1.1.1', '::ffff:203.0.113.7', '203.0.113.7', 'IPv4 in IPv6 form is IPv4'],
    ['10.1.1.1', '0xcb.0.113.7', '10.1.1.1', 'no hexadecimal'],
    ['10.1.1.1', '0313.0.113.7', '10.1.1.1', 'no octal'],
    ['10.1.1.1', '203.7', '10.1.1.1', 'no short form'],
    ['::ffff:10.1.1.1', '203.0.113.7', '203.0.113.7', 'a mapped peer is trusted as IPv4'],
    ['2001:db8:aaaa::1', '203.0.113.7', '203.0.113.7', 'a trusted IPv6 peer'],
    ['2001:db8:bbbb::1', '203.0.113.7', '2001:db8:bbbb::1', 'an untrusted IPv6 peer'],
    ['fe80::1%eth0', '203.0.113.7', 'fe80::1', 'a zone says nothing'],
  ])('peer %s, forwarded for %s: %s (%s)', (peer, chain, client) => {
    expect(found(networks, peer, chain)).toBe(client);
  });

  it('cannot be chosen by who makes the list long', () => {
    const long = `${'198.51.100.1, '.repeat(2000)}203.0.113.7`;
    expect(found(networks, '10.1.1.1', long)).toBe('203.0.113.7');
    const invented = Array.from({ length: 2000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join();
    expect(found(networks, '10.1.1.1', `203.0.113.7,${invented}`)).toMatch(/^10\./);
  });

  it('is the peer where nobody is trusted', () => {
    expect(found(0, '10.0.0.1', '203.0.113.9')).toBe('10.0.0.1');
    expect(found([], '10.0.0.1', '203.0.113.9')).toBe('10.0.0.1');
  });

  it('is as many hops away as are trusted, and no further', () => {
    expect(found(1, '10.0.0.1', '6.6.6.6, 203.0.113.9')).toBe('203.0.113.9');
    expect(found(2, '10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.2')).toBe('203.0.113.9');
    expect(found(9, '10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(found(1, '10.0.0.1')).toBe('10.0.0.1');
  });

  it('is the first from the right that is in no trusted network', () => {
    const trusted = ['10.0.0.0/8', '2001:db8:ffff::/48'];
    expect(found(trusted, '::ffff:10.0.0.1', '6.6.6.6, 203.0.113.9, 10.9.9.9')).toBe('203.0.113.9');
    expect(found(trusted, '2001:db8:ffff::1', '[2001:db8::7]:99')).toBe('2001:db8::7');
    expect(found(trusted, '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1');
  });

  it('is never made up of what is no address', () => {
    expect(found(3, '10.0.0.1', '6.6.6.6, unknown, 10.0.0.2')).toBe('10.0.0.2');
    expect(found(3, '10.0.0.1', ', ,')).toBe('10.0.0.1');
  });

  it.each([
    true,
    -1,
    1.5,
    99,
    'all',
    ['10.0.0.0/33'],
    ['2001:db8::/129'],
    ['10.0.0.0/'],
    ['10.0.0.0/8/8'],
    ['10.0.0.0/-1'],
    ['10.0.0.0/x'],
    ['nowhere'],
    [7],
  ])('is found by numbers and networks, not by %j', (trusted) => {
    expect(() => parseProxies('trustProxy', trusted as never)).toThrow(/trustProxy/);
  });
});
