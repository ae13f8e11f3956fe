import { Agent, request } from 'node:http';

export type LoadResult = {
  readonly answered: number;
  /** Requests that were sent on an open connection and got no answer, or a bad one. */
  readonly failed: readonly string[];
  /** Connections that were never made: whoever comes after the end is not dropped, but too late. */
  readonly refused: number;
};

/** Callers that ask one check after another on connections they keep, as long as they can. */
export class Load {
  readonly #failed: string[] = [];
  readonly #callers: Promise<void>[];
  #answered = 0;
  #refused = 0;
  #isOver = false;

  private constructor(url: string, key: string, connections: number) {
    this.#callers = Array.from({ length: connections }, () => this.#call(url, key));
  }

  static start(url: string, key: string, { connections }: { readonly connections: number }): Load {
    return new Load(url, key, connections);
  }

  get answered(): number {
    return this.#answered;
  }

  async untilAnswered(count: number): Promise<void> {
    while (this.#answered < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async stop(): Promise<LoadResult> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    return { answered: this.#answered, failed: this.#failed, refused: this.#refused };
  }

  async #call(url: string, key: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isOver) {
      const outcome = await ask(agent, url, key);
      if (outcome === 'refused') {
        this.#refused += 1;
        // The server is gone; there is nobody left to ask.
        break;
      }
      if (outcome === '200') this.#answered += 1;
      else this.#failed.push(outcome);
    }
    agent.destroy();
  }
}

const text = JSON.stringify({ resource: 'GET:/orders', subject: 'ann' });

function ask(agent: Agent, url: string, key: string): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(
      `${url}/v1/check`,
      { agent, method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(String(response.statusCode)));
        response.on('error', (error) => resolve(`broken answer: ${error.message}`));
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return resolve('refused');
      // A kept connection may be closed just as it is used again: the client sends it anew, as
      // every client must. A server that drains says so beforehand, and never lets it come to this.
      resolve(`${asked.reusedSocket ? 'kept' : 'new'} connection: ${error.code ?? error.message}`);
    });
    asked.end(text);
  });
}
