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

  it.each([true, -1, 1.5, 99, 'all', ['10.0.0.0/33'], ['10.0.0.0/x'], ['nowhere'], [7]])(
    'is found by numbers and networks, not by %j',
    (trusted) => {
      expect(() => parseProxies('trustProxy', trusted as never)).toThrow(/trustProxy/);
    },
  );
});
