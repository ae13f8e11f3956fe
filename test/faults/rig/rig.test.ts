import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { startRemoteRedis } from './black-hole.ts';
import { startShiftedRedis } from './clock-shim.ts';

describe('a Redis whose clock is stepped', () => {
  it('tells that time to scripts, and lets keys expire by it', async (context) => {
    const server = await startShiftedRedis();
    if (!server) return context.skip('there is no gcc');
    const redis = openRedis(server.url);
    const offS = async () =>
      Number(await redis.eval("return redis.call('TIME')[1]", 0)) - Math.floor(Date.now() / 1000);
    await redis.set('a', 1, 'PX', 30_000);
    expect(Math.abs(await offS())).toBeLessThanOrEqual(1);
    await server.shiftClock(-30_000);
    expect(Math.abs((await offS()) + 30)).toBeLessThanOrEqual(1);
    expect(await redis.pttl('a')).toBeGreaterThan(50_000);
    await server.shiftClock(60_000);
    expect(Math.abs((await offS()) - 60)).toBeLessThanOrEqual(1);
    expect(await redis.get('a')).toBeNull();
    redis.disconnect();
    await server.stop();
  });
});

describe('a Redis behind a cable', () => {
  it('says nothing at all when it is pulled, and goes on when it is back', async (context) => {
    const server = await startRemoteRedis();
    if (!server) return context.skip('this user may not make networks');
    const socket = connect({ host: server.host, port: server.port });
    const events: string[] = [];
    for (const name of ['error', 'end', 'close']) socket.on(name, () => events.push(name));
    await once(socket, 'connect');
    const answered = once(socket, 'data');
    await server.cutLink();
    socket.write('PING\r\n');
    const timer = new Promise((resolve) => setTimeout(resolve, 1000, 'silence'));
    expect(await Promise.race([answered, timer])).toBe('silence');
    expect(events).toEqual([]);
    await server.mendLink();
    expect(String((await answered)[0])).toBe('+PONG\r\n');
    socket.destroy();
    await server.stop();
  });
});
