import { Command } from 'ioredis';
import { fromIoredis, type RedisClient } from 'sluice';
import type { Connection } from './redis-connection.ts';

/** The end of a text, and how the next one is announced that has so many bytes. */
const heads = Array.from({ length: 128 }, (_, bytes) => `\r\n$${bytes}\r\n`);

/**
 * A script's call, spelled with less work than ioredis spells any command. It measures each text, and
 * has it put together for that; but keys are ours, of letters that are one byte each, and most of what
 * calls of many tenants consist of.
 */
export class ScriptCommand extends Command {
  readonly #keyCount: number;

  constructor(
    name: 'evalsha' | 'eval',
    script: string,
    keys: readonly string[],
    args: readonly string[],
    asBytes = false,
  ) {
    const replyEncoding = asBytes ? null : 'utf8';
    super(name, [], { replyEncoding });
    // What is given above is copied, to be flattened: of many tenants that is a long list.
    this.args = [script, String(keys.length), ...keys, ...args];
    this.#keyCount = keys.length;
  }

  override toWritable(): string {
    const texts = this.args as readonly string[];
    let written = `*${texts.length + 1}\r\n$${this.name.length}\r\n${this.name}`;
    for (let at = 0; at < texts.length; at += 1) {
      const text = texts[at] as string;
      const isKey = at >= 2 && at < 2 + this.#keyCount;
      const bytes = isKey ? text.length : Buffer.byteLength(text);
      written += (heads[bytes] ?? `\r\n$${bytes}\r\n`) + text;
    }
    return `${written}\r\n`;
  }
}

/** What the engine asks of a connection. */
export function scriptClient(connection: Connection): RedisClient {
  const send = (command: ScriptCommand) => connection.sendCommand(command) as Promise<unknown>;
  return {
    ...fromIoredis(connection),
    evalsha: (sha, keys, args, _name, asBytes) =>
      send(new ScriptCommand('evalsha', sha, keys, args, asBytes)),
    eval: (source, keys, args, _name, asBytes) =>
      send(new ScriptCommand('eval', source, keys, args, asBytes)),
  };
}
