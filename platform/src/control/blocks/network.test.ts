import fc from 'fast-check';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { InvalidInput } from 'sluice';
import { describe, expect, it } from 'vitest';
import { isEverybody, parseNetwork } from './network.ts';

describe('a range of addresses', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9/32'],
    ['203.0.113.9/32', '203.0.113.9/32'],
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['203.0.113.255/25', '203.0.113.128/25'],
    ['10.255.255.255/9', '10.128.0.0/9'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:0db8:0:0:0:0:0:1/64', '2001:db8::/64'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['fe80::1', 'fe80::1/128'],
    ['::1', '::1/128'],
    ['::ffff:203.0.113.9', '203.0.113.9/32'],
    ['::FFFF:cb00:7109', '203.0.113.9/32'],
    ['::ffff:203.0.113.9/120', '203.0.113.0/24'],
    ['64:ff9b::203.0.113.9', '64:ff9b::cb00:7109/128'],
  ])('%s is %s', (text, network) => expect(parseNetwork('ip', text)).toBe(network));

  it.each([
    '',
    'x',
    '203.0.113',
    '203.0.113.256',
    '0203.0.113.9',
    '203.0.113.9/33',
    '203.0.113.9/',
    '203.0.113.9/-1',
    '203.0.113.9/08',
    '203.0.113.9/1.5',
    '203.0.113.9/24/24',
    '203.0.113.9 ',
    '203.0.113.9:80',
    '[2001:db8::1]',
    '2001:db8::1/129',
    '2001:db8:::1',
    'fe80::1%eth0',
    '::ffff:203.0.113.9/95',
    'localhost',
  ])('is not %j', (text) => {
    expect(() => parseNetwork('ip', text)).toThrow(InvalidInput);
    expect(() => parseNetwork('ip', text)).toThrow(/^ip: /);
  });

  it('is its own spelling', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, fc.nat(128), (text, bits) => {
        fc.pre(isIPv6(text) ? bits >= 96 || !/^(0*:)*(:|0*:)*ffff:/i.test(text) : bits <= 32);
        const network = parseNetwork('ip', `${text}/${bits}`);
        expect(parseNetwork('ip', network)).toBe(network);
      }),
    );
  });

  it('holds the address that it was made of, as Node sees it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(32), (text, bits) => {
        const [start = '', length] = parseNetwork(
          'ip',
          `${text}/${bits + (isIPv4(text) ? 0 : 96)}`,
        ).split('/');
        const family = isIPv4(start) ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(start, Number(length), family);
        expect(list.check(text, isIPv4(text) ? 'ipv4' : 'ipv6')).toBe(true);
      }),
    );
  });

  it('is everybody when no bit is given', () => {
    for (const text of ['0.0.0.0/0', '203.0.113.9/0', '::/0', '2001:db8::/0', '::ffff:0:0/96']) {
      expect(isEverybody(parseNetwork('ip', text))).toBe(true);
    }
    expect(isEverybody(parseNetwork('ip', '10.0.0.0/8'))).toBe(false);
    expect(isEverybody(parseNetwork('ip', '::/10'))).toBe(false);
  });
});
