import { setTimeout as pause } from 'node:timers/promises';
import type { RedisClient } from 'sluice';
import {
  connect,
  onServerDoubted,
  openConnection,
  serversOf,
  type Connection,
} from './redis-connection.ts';
import { scriptClient } from './script-command.ts';

export type ConnectionsOptions = {
  readonly url: string;
  /** How long a call waits for its answer. */
  readonly deadlineMs: number;
  /** At the most. */
  readonly count: number;
  readonly onError: (error: Error) => void;
  /** Whenever one of them came or went. */
  readonly onChange: () => void;
  /** A server was lost: what it says afterwards may be older than what it said before. */
  readonly onLost: () => void;
  /** Told of the first, which is kept for as long as there are any. */
  readonly onFirst?: (connection: Connection) => void;
};

type Line = {
  readonly connection: Connection;
  readonly client: RedisClient;
  /** Over once it was ready, or could not be. */
  readonly tried: Promise<void>;
  /** Every server behind it has answered. */
  isWarm: boolean;
  inFlight: number;
};

const warmTries = 20;
const warmPauseMs = 50;

/**
 * With so much under way another connection is worth its while. Below that one is faster than many:
 * what travels together is read and written together.
 */
const busyFrom = 8;

/** Connections to one Redis: one at first, and more as load needs them. */
export class Connections {
  readonly client: RedisClient;
  readonly #options: ConnectionsOptions;
  readonly #lines: Line[] = [];
  #isStarting = true;
  #isGrowing = false;
  #lineOfTurn: Line | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const first = this.#open();
    options.onFirst?.(first.connection);
    void first.tried.finally(() => {
      this.#isStarting = false;
    });
    this.client = {
      cluster: first.client.cluster ?? false,
      givesBytes: first.client.givesBytes,
      serverOf: first.client.serverOf,
      evalsha: (...call) => this.#run((client) => client.evalsha(...call)),
      eval: (...call) => this.#run((client) => client.eval(...call)),
    };
  }

  get count(): number {
    return this.#lines.length;
  }

  isThere(): boolean {
    return this.#lines.some(isReady);
  }

  close(): void {
    for (const { connection } of this.#lines) connection.disconnect();
  }

  async #run(work: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    const first = this.#lines[0] as Line;
    // Nothing is queued by the client itself: who comes first waits for the first connection.
    if (this.#isStarting) await first.tried;
    const line = this.#turn() ?? first;
    line.inFlight += 1;
    try {
      return await work(line.client);
    } finally {
      line.inFlight -= 1;
    }
  }

  /** What is asked in one turn takes one way: it is written, and mostly answered, in one piece. */
  #turn(): Line | undefined {
    let line = this.#lineOfTurn ?? undefined;
    if (!line || !isReady(line)) {
      line = this.#leastBusy();
      if (!line) return undefined;
      this.#lineOfTurn = line;
      process.nextTick(() => (this.#lineOfTurn = null));
    }
    if (line.inFlight >= busyFrom) this.#grow();
    return line;
  }

  #leastBusy(): Line | undefined {
    let least: Line | undefined;
    for (const line of this.#lines) {
      if (isReady(line) && (!least || line.inFlight < least.inFlight)) least = line;
    }
    return least;
  }

  /** One at a time: a burst must not open all of them at once. */
  #grow(): void {
    if (this.#isGrowing || this.#lines.length >= this.#options.count) return;
    this.#isGrowing = true;
    void this.#open().tried.finally(() => {
      this.#isGrowing = false;
    });
  }

  #open(): Line {
    const { url, deadlineMs, onError, onChange, onLost } = this.#options;
    const connection = openConnection(url, deadlineMs);
    connection.on('error', onError);
    connection.on('ready', onChange);
    connection.on('close', onChange);
    onServerDoubted(connection, onLost);
    const start = async () => {
      await connect(connection, () => {});
      await warm(connection);
      line.isWarm = true;
      onChange();
    };
    const client = scriptClient(connection);
    const line: Line = { connection, client, tried: start(), isWarm: false, inFlight: 0 };
    this.#lines.push(line);
    return line;
  }
}

function isReady({ connection, isWarm }: Line): boolean {
  return isWarm && connection.status === 'ready';
}

/**
 * Of a cluster, a server is connected to when it is first asked, and what is asked until then may be
 * given up. So each is asked for nothing first.
 */
async function warm(connection: Connection): Promise<void> {
  for (let tries = 0; tries < warmTries && connection.status === 'ready'; tries += 1) {
    try {
      await Promise.all(serversOf(connection).map((server) => server.ping()));
      return;
    } catch {
      await pause(warmPauseMs);
    }
  }
}
