import { describe, expect, it } from 'vitest';
import { AddressFailures, networkOf } from './address-failures.ts';
import { TooManyFailures } from './errors.ts';

describe('an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
  ])('%s counts as %s', (address, group) => {
    expect(networkOf(address)).toBe(group);
  });

  it('that fails too often is refused, and no other', () => {
    const failures = new AddressFailures();
    for (let round = 0; round < 20; round += 1) {
      expect(failures.limitOf('203.0.113.9')).toBeNull();
      expect(failures.count('203.0.113.9')).toBeNull();
    }
    expect(failures.limitOf('203.0.113.9')).toBeInstanceOf(TooManyFailures);
    expect(failures.count('203.0.113.9')).toBeInstanceOf(TooManyFailures);
    expect(failures.limitOf('203.0.113.10')).toBeNull();
  });

  it('that only asks is never refused', () => {
    const failures = new AddressFailures();
    for (let round = 0; round < 1000; round += 1) failures.limitOf('203.0.113.9');
    expect(failures.limitOf('203.0.113.9')).toBeNull();
  });
});
