// Sockets that stay open and bring nothing any more, as after a cut cable or a frozen server.

import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, openConnection } from '../../../platform/src/store/redis-connection.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { heard } from './rig/heard.ts';

let server: RedisServer;
let proxy: FaultProxy;
let redis: Redis;

beforeEach(async () => {
  server = await startRedis();
  proxy = await FaultProxy.start(server.port);
  redis = openConnection(`redis://127.0.0.1:${proxy.port}`) as Redis;
  redis.on('error', () => {});
});

afterEach(async () => {
  redis.disconnect();
  await proxy.stop();
  await server.stop();
});

test('a socket that has gone silent is found, and replaced as soon as somebody answers', async () => {
  expect(await connect(redis, () => {})).toBe(true);
  const first = redis.stream;
  proxy.fault = { kind: 'swallow' };
  const startMs = performance.now();
  const stuck = redis.get('anything');
  await Promise.all([heard(redis, 'close'), expect(stuck).rejects.toThrow(/\w/)]);
  const foundMs = performance.now() - startMs;
  expect(first.destroyed).toBe(true);
  await expect(redis.get('anything')).rejects.toThrow("Stream isn't writeable");
  proxy.fault = { kind: 'pass' };
  const backMs = performance.now();
  await heard(redis, 'ready');
  expect(await redis.ping()).toBe('PONG');
  expect(redis.stream).not.toBe(first);
  console.log(
    `T25          dead socket found in ${foundMs.toFixed(0)} ms (target 1250), replaced ${(performance.now() - backMs).toFixed(0)} ms after it can be`,
  );
});

test('a server that takes connections and never greets is given up, and tried again', async () => {
  proxy.fault = { kind: 'swallow' };
  const closed = heard(redis, 'close');
  redis.connect().catch(() => {});
  await closed;
  proxy.fault = { kind: 'pass' };
  await heard(redis, 'ready');
  expect(await redis.ping()).toBe('PONG');
});

test('a socket whose replies are slow, or waited for us, is kept', async () => {
  expect(await connect(redis, () => {})).toBe(true);
  const first = redis.stream;
  let lost = 0;
  redis.on('close', () => (lost += 1));
  proxy.fault = { kind: 'delay', ms: 150 };
  const endMs = performance.now() + 1500;
  while (performance.now() < endMs) {
    await redis.get('anything');
    // Longer than a silent server is given: what arrived meanwhile is read afterwards.
    const busyMs = performance.now() + 400;
    while (performance.now() < busyMs);
  }
  expect([lost, redis.stream === first]).toEqual([0, true]);
});

test('a socket that is silent for no longer than a call may wait is kept', async () => {
  const patient = openConnection(`redis://127.0.0.1:${proxy.port}`, 2000) as Redis;
  patient.on('error', () => {});
  expect(await connect(patient, () => {})).toBe(true);
  const first = patient.stream;
  // Past the next sign of life and what an answer to it is given elsewhere.
  proxy.fault = { kind: 'delay', ms: 1500 };
  expect(await patient.get('anything')).toBeNull();
  expect(await patient.get('anything')).toBeNull();
  expect(patient.stream).toBe(first);
  proxy.fault = { kind: 'swallow' };
  await heard(patient, 'close');
  patient.disconnect();
});
