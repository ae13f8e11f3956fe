import { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, lookupPublic } from './public-address.ts';
import { parseWebhookUrl } from './webhook.ts';

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2001::1',
    'no address',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '223.255.255.255'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(['2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a name that leads to this machine', () => {
  it.each([true, false])('leads nowhere (all: %s)', async (all) => {
    // As the system resolves it: it is there, and not for us.
    await new Promise<void>((resolve, reject) =>
      lookup('localhost', (error) => (error ? reject(error) : resolve())),
    );
    const problem = await new Promise<unknown>((resolve) =>
      lookupPublic('localhost', { all }, resolve),
    );
    expect(problem).toMatchObject({ message: 'the address is not public' });
  });
});

describe('the address of a webhook', () => {
  const problemOf = (url: string, allowPrivate = false) => {
    try {
      parseWebhookUrl(url, { allowPrivate });
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };

  it.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com:8443',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
  ])('may be %s', (url) => {
    expect(problemOf(url)).toBeNull();
  });

  it.each([
    '',
    'hooks.example.com',
    'http://hooks.example.com',
    'ftp://hooks.example.com',
    'file:///etc/passwd',
    'https://',
    'https://user@hooks.example.com',
    'https://:secret@hooks.example.com',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://hooks.example.com/ a',
    'https://hooks.example.com/\u0000',
    'https://hooks.example.com/\n',
    `https://hooks.example.com/${'x'.repeat(2048)}`,
  ])('may not be %j', (url) => {
    expect(problemOf(url)).toMatch(/^url: /);
  });

  it('may be private, and plain, where that is allowed', () => {
    expect(problemOf('http://127.0.0.1:9/', true)).toBeNull();
    expect(problemOf('http://localhost:9/', true)).toBeNull();
    expect(problemOf('ftp://127.0.0.1', true)).toMatch(/^url: /);
    expect(problemOf('http://user@127.0.0.1', true)).toMatch(/^url: /);
  });
});
