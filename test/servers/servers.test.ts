import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { openCluster, openRedis } from './connect.ts';
import { startRedis } from './redis.ts';

test('the single Redis answers', async () => {
  const redis = openRedis(inject('redisUrl'));
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
});

test('the cluster keeps values on all three primaries, each with a replica', async () => {
  const cluster = openCluster(inject('redisClusterNodes'));
  const names = Array.from({ length: 30 }, (_, index) => `servers-test:${index}`);
  await Promise.all(names.map((name) => cluster.set(name, name, 'PX', 60_000)));
  expect(await Promise.all(names.map((name) => cluster.get(name)))).toEqual(names);
  expect(cluster.nodes('master')).toHaveLength(3);
  expect(cluster.nodes('slave')).toHaveLength(3);
  const sizes = await Promise.all(cluster.nodes('master').map((node) => node.dbsize()));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  cluster.disconnect();
});

test('PostgreSQL answers', async () => {
  const postgres = new Client({ connectionString: inject('postgresUrl') });
  await postgres.connect();
  const { rows } = await postgres.query('SELECT 1 AS one');
  expect(rows).toEqual([{ one: 1 }]);
  await postgres.end();
});

test('a test can start a Redis of its own, stop it and bring it back on the same port', async () => {
  const first = await startRedis();
  await first.stop();
  expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
  const second = await startRedis({ port: first.port, settings: ['--maxmemory', '10mb'] });
  const redis = openRedis(second.url);
  expect(await redis.config('GET', 'maxmemory')).toEqual(['maxmemory', '10485760']);
  redis.disconnect();
  await second.stop();
});
