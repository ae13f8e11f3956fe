import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connections } from '../../../platform/src/store/connections.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { until } from './rig.ts';

describe('connections to one Redis', () => {
  let redis: RedisServer;
  const opened: Connections[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(async () => {
    for (const connections of opened) connections.close();
    await redis.stop();
  });

  function open(count: number, url = redis.url): Connections {
    const nothing = () => {};
    const listeners = { onError: nothing, onChange: nothing, onLost: nothing };
    const connections = new Connections({ url, count, deadlineMs: 50, ...listeners });
    opened.push(connections);
    return connections;
  }

  const ask = ({ client }: Connections) => client.eval('return 1', [], []);
  const askAtOnce = (connections: Connections, calls: number) =>
    Promise.all(Array.from({ length: calls }, () => ask(connections)));

  it('serve who comes before the first is there', async () => {
    const connections = open(3);
    expect(connections.isThere()).toBe(false);
    expect(await askAtOnce(connections, 5)).toEqual([1, 1, 1, 1, 1]);
    expect(connections.isThere()).toBe(true);
  });

  it('are one while little is under way, and never more than they may be', async () => {
    const connections = open(3);
    for (let round = 0; round < 20; round += 1) await askAtOnce(connections, 8);
    expect(connections.count).toBe(1);
    await until(async () => {
      await askAtOnce(connections, 100);
      return connections.count === 3;
    }, 'all are open');
    for (let round = 0; round < 20; round += 1) await askAtOnce(connections, 100);
    expect(connections.count).toBe(3);
  });

  it('fail at once where nobody answers, and come back by themselves', async () => {
    const port = await findFreePort();
    const connections = open(2, `redis://127.0.0.1:${port}`);
    await expect(ask(connections)).rejects.toThrow(/ECONNREFUSED|writeable|closed/i);
    await expect(ask(connections)).rejects.toThrow(/ECONNREFUSED|writeable|closed/i);
    const late = await startRedis({ port });
    await until(() => connections.isThere(), 'it is there');
    expect(await ask(connections)).toBe(1);
    await late.stop();
  });
});
