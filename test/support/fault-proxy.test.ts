import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { FaultProxy } from './fault-proxy.ts';

/** Says back what it hears. */
const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
let proxy: FaultProxy;
let client: Socket;
let heard: string;

beforeAll(async () => {
  echo.listen({ host: '127.0.0.1', port: 0 });
  await once(echo, 'listening');
});

afterAll(() => {
  echo.close();
});

beforeEach(async () => {
  proxy = await FaultProxy.start((echo.address() as AddressInfo).port);
  client = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true });
  client.on('error', () => {});
  heard = '';
  client.setEncoding('utf8').on('data', (text: string) => (heard += text));
  await once(client, 'connect');
});

afterEach(async () => {
  client.destroy();
  await proxy.stop();
});

test('a delay with jitter keeps the order', async () => {
  proxy.fault = { kind: 'delay', ms: 5, jitterMs: 30 };
  for (const word of ['a', 'b', 'c', 'd', 'e']) {
    client.write(word);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await expect.poll(() => heard).toBe('abcde');
});

test('a throttled line delivers all of it, no sooner than its rate allows', async () => {
  proxy.fault = { kind: 'throttle', bytesPerSecond: 10_000 };
  const startMs = performance.now();
  client.write('x'.repeat(1000));
  await expect.poll(() => heard.length).toBe(1000);
  // A timer may be early by part of a millisecond.
  expect(performance.now() - startMs).toBeGreaterThan(98);
});

test('a line that is cut after some bytes has delivered those, and no more', async () => {
  proxy.fault = { kind: 'cut_after', bytes: 4 };
  const ended = once(client, 'end');
  client.write('123456789');
  await ended;
  expect(heard).toBe('1234');
});

test('a half-closed line says its end and takes what is sent', async () => {
  proxy.fault = { kind: 'half_close' };
  const ended = once(client, 'end');
  client.write('first');
  await ended;
  const { forwarded } = proxy.seen;
  client.write('second');
  await expect.poll(() => proxy.seen.forwarded).toBe(forwarded + 1);
  expect([heard, client.destroyed]).toEqual(['', false]);
});

test('a silenced line says and takes nothing, and a new one works', async () => {
  proxy.silence();
  client.write('first');
  const another = connect({ host: '127.0.0.1', port: proxy.port });
  another.write('second');
  const [said] = (await once(another, 'data')) as [Buffer];
  expect([String(said), heard, client.destroyed]).toEqual(['second', '', false]);
  another.destroy();
});
