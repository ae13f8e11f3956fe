// A server that is away is tried at a bounded rate, and used again as soon as it is back.

import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openConnection, type Connection } from '../../../platform/src/store/redis-connection.ts';
import { startRedis } from '../../servers/redis.ts';
import { heard } from './rig/heard.ts';

const watchedMs = 2000;

function open(url: string): Connection {
  const connection = openConnection(url);
  connection.on('error', () => {});
  onTestFinished(() => connection.disconnect());
  return connection;
}

/** Takes connections and drops them, as something does whose server is gone. */
async function startDoor(): Promise<{ readonly port: number; triesMs(): readonly number[] }> {
  const triesMs: number[] = [];
  const door = createServer((socket) => {
    triesMs.push(performance.now());
    socket.destroy();
  });
  door.listen({ host: '127.0.0.1', port: 0 });
  await once(door, 'listening');
  onTestFinished(async () => {
    door.close();
    await once(door, 'close');
  });
  return { port: (door.address() as AddressInfo).port, triesMs: () => triesMs };
}

test('many connections try no more often than one, and not at the same moments', async () => {
  const door = await startDoor();
  const connections = Array.from({ length: 10 }, () => open(`redis://127.0.0.1:${door.port}`));
  for (const connection of connections) connection.connect().catch(() => {});
  await expect.poll(() => door.triesMs().length).toBeGreaterThanOrEqual(connections.length);
  const fromMs = performance.now();
  const before = door.triesMs().length;
  await sleep(watchedMs);
  const tries = door.triesMs().slice(before);
  const rate = (tries.length / (performance.now() - fromMs)) * 1000;
  expect(tries.length).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(4);
  const gaps = tries.map((ms, at) => Math.round(ms - (tries[at - 1] ?? fromMs)));
  expect(new Set(gaps).size).toBeGreaterThan(1);
  console.log(`T26          ${rate.toFixed(1)} tries a second of ten connections (target 4)`);
});

test('a server that was killed is used again soon after it is back, by every connection', async () => {
  const server = await startRedis();
  const connections = Array.from({ length: 40 }, () => open(server.url));
  await Promise.all(connections.map((connection) => connection.connect()));
  const lost = Promise.all(connections.map((connection) => heard(connection, 'close')));
  await server.stop();
  await lost;
  // Long enough that they all wait for their turn.
  await sleep(1500);
  for (const connection of connections) {
    await expect(connection.get('anything')).rejects.toThrow("Stream isn't writeable");
  }
  const back = Promise.all(connections.map((connection) => heard(connection, 'ready')));
  const again = await startRedis({ port: server.port });
  onTestFinished(() => again.stop());
  const startMs = performance.now();
  await back;
  const backMs = performance.now() - startMs;
  // One after the other, each in its turn, they would take twelve seconds.
  expect(backMs).toBeLessThan(8000);
  const answers = await Promise.all(connections.map((connection) => connection.ping()));
  expect(new Set(answers)).toEqual(new Set(['PONG']));
  console.log(
    `T26          forty connections back ${backMs.toFixed(0)} ms after the server (target 2000)`,
  );
});
