import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type RedisServer, startRedis } from '../../servers/redis.ts';

const run = promisify(execFile);

export type RemoteRedis = RedisServer & {
  readonly host: string;
  /** From now on packets get lost in both directions, and nobody is told. */
  cutLink(): Promise<void>;
  mendLink(): Promise<void>;
};

let made = 0;

/**
 * A Redis in a network of its own, at the other end of a cable that can be pulled. The network and
 * the cable live as long as the server does. Null where this user may not make networks.
 */
export async function startRemoteRedis(): Promise<RemoteRedis | null> {
  if (!(await mayMakeNetworks())) return null;
  const server = await startRedis({
    launcher: ['unshare', '--net'],
    settings: ['--bind', '0.0.0.0', '--protected-mode', 'no'],
  });
  try {
    return await connectTo(server);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function connectTo(server: RedisServer): Promise<RemoteRedis> {
  made += 1;
  // Of a range that is nobody's on the internet; one /30 for each cable of each process.
  const subnet = `198.18.${process.pid % 256}`;
  const first = (made * 4) % 256;
  const [near, far] = [`${subnet}.${first + 1}`, `${subnet}.${first + 2}`];
  const cable = `sl${process.pid}-${made}`;
  const there = (...args: string[]) =>
    run('nsenter', ['--target', String(server.pid), '--net', 'ip', ...args]);
  await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'far']);
  await run('ip', ['link', 'set', 'far', 'netns', String(server.pid)]);
  await run('ip', ['addr', 'add', `${near}/30`, 'dev', cable]);
  await run('ip', ['link', 'set', cable, 'up']);
  await there('addr', 'add', `${far}/30`, 'dev', 'far');
  await there('link', 'set', 'far', 'up');
  return {
    ...server,
    host: far,
    url: `redis://${far}:${server.port}`,
    // At the far end: this side goes on sending, as to a machine that lost its power.
    cutLink: async () => void (await there('link', 'set', 'far', 'down')),
    mendLink: async () => void (await there('link', 'set', 'far', 'up')),
  };
}

async function mayMakeNetworks(): Promise<boolean> {
  try {
    await run('unshare', ['--net', 'true']);
    await run('nsenter', ['--version']);
    await run('ip', ['-V']);
    return true;
  } catch {
    return false;
  }
}
