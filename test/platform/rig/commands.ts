import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { openRedis } from '../../servers/connect.ts';
import type { RedisServer } from '../../servers/redis.ts';

export type Command = readonly [name: string, ...args: string[]];

const lastWord = 'the end of the commands';
const line = /^\+[\d.]+ \[\d+ (?<source>[^\]]+)\] (?<words>.*)$/;
const word = /"((?:[^"\\]|\\.)*)"/g;

/**
 * What Redis was asked while `act` ran; what a script does, it does within its one command. On a
 * connection of its own: ioredis takes commands told along with the answer to `MONITOR` for answers.
 */
export async function commandsDuring(
  { port, url }: RedisServer,
  act: () => Promise<void>,
): Promise<Command[]> {
  const client = openRedis(url);
  const socket = connect(port, '127.0.0.1');
  const lines = createInterface({ input: socket });
  const commands: Command[] = [];
  const started = once(lines, 'line');
  const ended = new Promise<void>((resolve) => {
    lines.on('line', (said) => {
      const { source, words = '' } = line.exec(said)?.groups ?? {};
      if (source === undefined || source === 'lua') return;
      const [name = '', ...args] = [...words.matchAll(word)].map(([, text = '']) => text);
      if (args[0] === lastWord) resolve();
      else commands.push([name.toLowerCase(), ...args]);
    });
  });
  try {
    socket.write('MONITOR\r\n');
    await started;
    await act();
    await client.ping(lastWord);
    await ended;
  } finally {
    client.disconnect();
    socket.destroy();
  }
  return commands;
}
