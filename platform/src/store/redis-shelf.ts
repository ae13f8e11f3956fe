import type { Redis } from 'ioredis';
import { onServerBack, onServerLost, serversOf, type Connection } from './redis-connection.ts';
import type { Shelf } from './store.ts';

const againMs = 250;

/** What nodes keep for each other, as long as it is known which life of the servers this is. */
export class RedisShelf implements Shelf {
  readonly #redis: Connection;
  #life: string | null = null;
  #losses = 0;
  #lookUps = 0;
  #again: NodeJS.Timeout | null = null;

  constructor(redis: Connection) {
    this.#redis = redis;
    onServerLost(redis, () => {
      this.#life = null;
      this.#losses += 1;
    });
    onServerBack(redis, () => void this.lookUp());
  }

  get(key: string): Promise<string | null> {
    return this.#redis.get(key);
  }

  set(key: string, value: string, mode: 'PX', ttlMs: number): Promise<unknown> {
    return this.#redis.set(key, value, mode, ttlMs);
  }

  life(): string | null {
    return this.#life;
  }

  /**
   * The newest answers count: of older ones some may come later, from servers that were lost since.
   * While a cluster changes one of them is asked in vain, and nobody may come back after that.
   */
  async lookUp(): Promise<void> {
    const losses = this.#losses;
    this.#lookUps += 1;
    const lookUp = this.#lookUps;
    const life = await readLife(serversOf(this.#redis)).catch(() => null);
    if (lookUp !== this.#lookUps) return;
    this.#life = losses === this.#losses ? life : null;
    if (this.#life === null) this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#again || this.#redis.status === 'end') return;
    this.#again = setTimeout(() => {
      this.#again = null;
      void this.lookUp();
    }, againMs).unref();
  }
}

/** Null where one is not known: it might have been restored from a copy. */
async function readLife(servers: readonly Redis[]): Promise<string | null> {
  const infos = await Promise.all(servers.map((server) => server.info('server')));
  const lives = infos.map((info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? null);
  if (lives.length === 0 || lives.includes(null)) return null;
  return lives.map(String).toSorted(inOrder).join('.');
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}
