import { createHash, randomUUID } from 'node:crypto';
import type { Connection } from './redis-connection.ts';

/** Where every node says something about a topic, and reads what the others said. */
export type Board = {
  /** Replaces what this node said before. */
  post(topic: string, text: string): Promise<void>;
  /** What each node said, in no order; nothing once it is old. */
  read(topic: string): Promise<readonly string[]>;
};

const keptMs = 120_000;
const topicsMax = 1000;

/** For one node alone. */
export class MemoryBoard implements Board {
  readonly #said = new Map<string, { readonly text: string; readonly untilMs: number }>();

  async post(topic: string, text: string): Promise<void> {
    this.#said.delete(topic);
    this.#said.set(topic, { text, untilMs: Date.now() + keptMs });
    for (const [old, { untilMs }] of this.#said) {
      if (untilMs > Date.now() && this.#said.size <= topicsMax) break;
      this.#said.delete(old);
    }
  }

  async read(topic: string): Promise<readonly string[]> {
    const said = this.#said.get(topic);
    return said && said.untilMs > Date.now() ? [said.text] : [];
  }
}

/** One hash for each topic, with a field for each node. Of nodes with the same secret. */
export class RedisBoard implements Board {
  readonly #redis: Connection;
  readonly #node = randomUUID();
  readonly #prefix: string;

  constructor(redis: Connection, secret: string) {
    this.#redis = redis;
    const name = createHash('sha256').update(`board ${secret}`).digest('base64url');
    this.#prefix = `sl1:board:${name.slice(0, 16)}:`;
  }

  async post(topic: string, text: string): Promise<void> {
    const key = this.#prefix + topic;
    const replies = await this.#redis
      .multi()
      .hset(key, this.#node, text)
      .pexpire(key, keptMs)
      .exec();
    for (const [error] of replies ?? []) if (error) throw error;
  }

  read(topic: string): Promise<readonly string[]> {
    return this.#redis.hvals(this.#prefix + topic);
  }
}
