import { describe, expect, it } from 'vitest';
import { findClient, parseAddress, parseNetworks } from './client-address.ts';

const trusted = parseNetworks(['10.0.0.0/8', '2001:db8:aaaa::/48', '::1']);

describe('whose request it is', () => {
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
    expect(findClient(peer, chain, trusted)).toBe(client);
  });

  it('is the peer when nobody is trusted, whatever is claimed', () => {
    expect(findClient('10.1.1.1', '203.0.113.7', null)).toBe('10.1.1.1');
    expect(findClient('::ffff:192.0.2.1', '203.0.113.7', null)).toBe('192.0.2.1');
  });

  it('cannot be chosen by who makes the list long', () => {
    const long = `${'198.51.100.1, '.repeat(2000)}203.0.113.7`;
    expect(findClient('10.1.1.1', long, trusted)).toBe('203.0.113.7');
    const invented = Array.from({ length: 2000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join();
    expect(findClient('10.1.1.1', `203.0.113.7,${invented}`, trusted)).toMatch(/^10\./);
  });
});

describe('an address', () => {
  it.each([
    '',
    ' ',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4/8',
    '[::1',
    '::1]',
    ':80',
    '1.2.3.4:x',
  ])('is not %j', (text) => expect(parseAddress(text)).toBeNull());
});

describe('networks', () => {
  it.each([
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'localhost',
    '10.0.0.0/-1',
  ])('are not %j', (network) =>
    expect(() => parseNetworks([network])).toThrow(/trustedProxies: must be networks/),
  );
});
