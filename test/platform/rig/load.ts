import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type LoadResult = {
  readonly answered: number;
  /** What was sent and got no answer, or another than 200. */
  readonly failed: readonly string[];
  /** From the signal that the test noted until a new caller was told to go elsewhere. */
  readonly notReadyAtMs: number | null;
};

const lookEveryMs = 25;

/**
 * Callers behind a balancer: each asks one check after another on a connection that it keeps. The
 * balancer looks at `/v1/ready` and opens no new connections to a node that is not; what is open
 * goes on until the node closes it.
 */
export class Load {
  readonly #url: string;
  readonly #failed: string[] = [];
  readonly #callers: Promise<void>[];
  readonly #balancer: Promise<void>;
  #answered = 0;
  #notReadyAtMs: number | null = null;
  #isOver = false;

  private constructor(url: string, key: string, connections: number) {
    this.#url = url;
    this.#balancer = this.#watch();
    this.#callers = Array.from({ length: connections }, () => this.#call(key));
  }

  static start(url: string, key: string, { connections }: { readonly connections: number }): Load {
    return new Load(url, key, connections);
  }

  async untilAnswered(count: number): Promise<void> {
    while (this.#answered < count) await sleep(5);
  }

  async stop(): Promise<LoadResult> {
    this.#isOver = true;
    await Promise.all([...this.#callers, this.#balancer]);
    const failed = this.#failed;
    return { answered: this.#answered, failed, notReadyAtMs: this.#notReadyAtMs };
  }

  async #watch(): Promise<void> {
    while (!this.#isOver && this.#notReadyAtMs === null) {
      const { status } = await fetch(`${this.#url}/v1/ready`);
      if (status === 503) this.#notReadyAtMs = Date.now();
      await sleep(lookEveryMs);
    }
  }

  async #call(key: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let isOpen = false;
    while (!this.#isOver && (isOpen || this.#notReadyAtMs === null)) {
      const outcome = await ask(agent, this.#url, key);
      isOpen = outcome.isOpen;
      if (outcome.said === '200') this.#answered += 1;
      else this.#failed.push(outcome.said);
    }
    agent.destroy();
  }
}

const text = JSON.stringify({ resource: 'GET:/orders', subject: 'ann' });

type Outcome = { readonly said: string; readonly isOpen: boolean };

function ask(agent: Agent, url: string, key: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const asked = request(`${url}/v1/check`, { agent, method: 'POST', headers }, (response) => {
      const isOpen = response.headers.connection !== 'close';
      response.resume();
      response.on('end', () => resolve({ said: String(response.statusCode), isOpen }));
      response.on('error', ({ message }) => resolve({ said: message, isOpen: false }));
    });
    asked.on('error', ({ message }) => {
      const said = `on a ${asked.reusedSocket ? 'kept' : 'new'} connection: ${message}`;
      resolve({ said, isOpen: false });
    });
    asked.end(text);
  });
}
