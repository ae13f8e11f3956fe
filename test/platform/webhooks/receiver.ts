import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Answers with a status, or does what it likes. */
export type Reaction = number | ((answer: ServerResponse) => void);

/** A subscriber on this machine, which reacts as a test says. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #reactions: Reaction[] = [];
  #usual: Reaction = 200;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, answer) => {
      void receiver.#receive(request, answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/hook`;
  }

  /** To the next requests, one after another; then as usual again. */
  reactWith(...reactions: readonly Reaction[]): void {
    this.#reactions.push(...reactions);
  }

  reset(usual: Reaction = 200): void {
    this.received.length = 0;
    this.#reactions.length = 0;
    this.#usual = usual;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await text(request);
    const { url: path = '', headers } = request;
    this.received.push({ path, headers, body });
    this.#react(answer);
  }

  #react(answer: ServerResponse): void {
    const reaction = this.#reactions.shift() ?? this.#usual;
    if (typeof reaction === 'number') answer.writeHead(reaction).end('what is this?');
    else reaction(answer);
  }
}
