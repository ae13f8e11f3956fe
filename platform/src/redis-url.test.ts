import { describe, expect, it } from 'vitest';
import { parseRedisUrl, RedisUrlError, shownRedisUrl } from './redis-url.ts';

const plain = { username: null, password: null, tls: null };
const noTlsOptions = { caPath: null, servername: null };

describe('an address of one server', () => {
  it.each([
    ['redis://localhost', { host: 'localhost', port: 6379 }, 0],
    ['redis://localhost/', { host: 'localhost', port: 6379 }, 0],
    ['redis://10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000 }, 3],
    ['redis://[::1]:7000', { host: '::1', port: 7000 }, 0],
    ['redis://[2001:db8::1]', { host: '2001:db8::1', port: 6379 }, 0],
  ])('%s', (text, server, db) => {
    expect(parseRedisUrl(text)).toEqual({ kind: 'single', server, db, ...plain });
  });

  it('has its user and password decoded', () => {
    const text = 'redis://us%3Aer:p%40ss%2Fw%2C%25@redis.example';
    expect(parseRedisUrl(text)).toMatchObject({ username: 'us:er', password: 'p@ss/w,%' });
    expect(parseRedisUrl('redis://:alone@h')).toMatchObject({ username: null, password: 'alone' });
    expect(parseRedisUrl('redis://a:b:c@h')).toMatchObject({ username: 'a', password: 'b:c' });
    expect(parseRedisUrl('redis://a:b@c@h')).toMatchObject({ username: 'a', password: 'b@c' });
  });

  it('is reached by TLS, with the authorities and the name that it says', () => {
    expect(parseRedisUrl('rediss://h')).toMatchObject({ tls: noTlsOptions });
    expect(parseRedisUrl('rediss://h?ca=%2Fetc%2Fca.pem&servername=redis.example')).toMatchObject({
      tls: { caPath: '/etc/ca.pem', servername: 'redis.example' },
    });
    expect(parseRedisUrl('rediss://h?ca=/etc/ca.pem')).toMatchObject({
      tls: { caPath: '/etc/ca.pem' },
    });
  });
});

describe('an address of sentinels', () => {
  it('names the sentinels, the primary and how to log in to either', () => {
    const text =
      'redis+sentinel://app:one@s1:1,s2,[::1]:3/my.master/2?sentinel_username=w&sentinel_password=t%26o';
    expect(parseRedisUrl(text)).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 1 },
        { host: 's2', port: 26_379 },
        { host: '::1', port: 3 },
      ],
      masterName: 'my.master',
      db: 2,
      username: 'app',
      password: 'one',
      tls: null,
      sentinelUsername: 'w',
      sentinelPassword: 't&o',
    });
  });

  it('needs no more than one sentinel and the name', () => {
    expect(parseRedisUrl('rediss+sentinel://s1/mymaster?ca=/ca.pem')).toMatchObject({
      kind: 'sentinel',
      masterName: 'mymaster',
      db: 0,
      tls: { caPath: '/ca.pem', servername: null },
      sentinelUsername: null,
      sentinelPassword: null,
    });
  });
});

describe('an address of a cluster', () => {
  const servers = [
    { host: 'a', port: 1 },
    { host: 'b', port: 6379 },
  ];

  it.each([
    ['redis+cluster://a:1,b', plain],
    ['redis+cluster://a:1,b:6379/', plain],
    ['rediss+cluster://u:p@a:1,b', { username: 'u', password: 'p', tls: noTlsOptions }],
    ['redis://a:1,redis://b', plain],
    ['redis://u:p@a:1 , redis://b:6379', { username: 'u', password: 'p', tls: null }],
    ['rediss://a:1,rediss://b', { ...plain, tls: noTlsOptions }],
  ])('%s', (text, access) => {
    expect(parseRedisUrl(text)).toEqual({ kind: 'cluster', servers, ...access });
  });

  it('may be of one server: which others there are, it tells itself', () => {
    expect(parseRedisUrl('redis+cluster://a:1')).toMatchObject({ servers: servers.slice(0, 1) });
  });
});

describe('what is no address', () => {
  it.each([
    ['', 'begins with redis://'],
    ['localhost:6379', 'begins with redis://'],
    ['http://localhost', 'begins with redis://'],
    ['redis+cluster+tls://h', 'begins with redis://'],
    ['redis://', 'begins with redis://'],
    ['redis://:hunter2/x@h', 'as %2F'],
    ['redis://h#hunter2', 'as %2F'],
    ['redis://h:0', 'as host:port'],
    ['redis://h:65536', 'as host:port'],
    ['redis://::1', 'as host:port'],
    ['redis://h/one', 'a number'],
    ['redis://h/1/2', 'a number'],
    ['redis://a,b', 'redis+cluster://'],
    ['redis+cluster://a,,b', 'as host:port'],
    ['redis+cluster://a/0', 'one only'],
    ['redis+sentinel://s1', 'such as redis+sentinel://host:26379/mymaster'],
    ['redis+sentinel://s1/my master', 'the name'],
    ['redis+sentinel://s1/m/0/1', 'the name'],
    ['redis+sentinel://s1/m/x', 'a number'],
    ['redis://a,rediss://b', 'all addresses'],
    ['redis://h?ca=/ca.pem', 'rediss instead of redis'],
    ['rediss://h?ca=', 'ca=…'],
    ['rediss://h?ca', 'ca=…'],
    ['rediss://h?ca=/a&ca=/b', 'one value'],
    ['redis://h?password=hunter2', 'none here'],
    ['rediss://h?verify=off', 'knows ca and servername here'],
    ['redis://h?sentinel_password=hunter2', 'none here'],
    ['redis://u:hunter2%@h', '%25'],
  ])('%s', (text, said) => {
    expect(() => parseRedisUrl(text)).toThrow(RedisUrlError);
    expect(() => parseRedisUrl(text)).toThrow(said);
    expect(() => parseRedisUrl(text)).not.toThrow(/hunter2/);
  });
});

it('is short, and names a bounded number of servers', () => {
  expect(() => parseRedisUrl(`redis://${'a'.repeat(5000)}`)).toThrow('4096 characters');
  expect(() => parseRedisUrl(`redis+cluster://${'a,'.repeat(64)}a`)).toThrow('64 addresses');
});

describe('an address as it is shown', () => {
  it.each([
    ['redis://h:1', 'redis://h:1'],
    ['rediss://user:hunter2@h:1/1', 'rediss://user:***@h:1/1'],
    ['redis://user:hun:ter2@x@h', 'redis://user:***@h'],
    ['redis://user@h', 'redis://user@h'],
    ['redis://:hunter2@a:1, redis://user:hunter2@b:2', 'redis://:***@a:1,redis://user:***@b:2'],
    ['redis+cluster://u:hunter2@a:1,b:2', 'redis+cluster://u:***@a:1,b:2'],
    [
      'rediss+sentinel://u:hunter2@a,b/m/1?sentinel_username=w&sentinel_password=hunter2',
      'rediss+sentinel://u:***@a,b/m/1?sentinel_username=***&sentinel_password=***',
    ],
  ])('%s', (text, shown) => {
    expect(parseRedisUrl(text)).toBeDefined();
    expect(shownRedisUrl(text)).toBe(shown);
  });
});
