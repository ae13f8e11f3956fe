import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Instead of an answer. */
export const silence = 'silence';

const scripts = ['EVALSHA', 'EVAL'];
/** What is as long as it says, and what has as many values as it says: of both protocols. */
const texts = ['$', '=', '!'];
const lists = ['*', '~', '>'];

/**
 * A Redis that answers scripts with what the test says, and is a real one for all else: for errors
 * that are hard to bring about, or to end. `silence` answers nothing more on that connection.
 */
export class AnsweringRedis {
  /** As on the wire, such as `-OOM …\r\n`; null for what the real one says. */
  answer: string | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upstreamPort: number;
  #port = 0;

  private constructor(upstreamPort: number) {
    this.#upstreamPort = upstreamPort;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(upstreamPort: number): Promise<AnsweringRedis> {
    const redis = new AnsweringRedis(upstreamPort);
    await redis.listen();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** On the same port as before. */
  async listen(): Promise<void> {
    this.#server.listen({ host: '127.0.0.1', port: this.#port });
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections and refuses new ones. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  /** Ends every connection, as silent ones must be for anything to go on. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    const upstream = connect({ host: '127.0.0.1', port: this.#upstreamPort, noDelay: true });
    client.setNoDelay(true);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    void this.#serve(client, upstream).catch(end);
  }

  /** One command after the other, so that answers keep their order, whoever gives them. */
  async #serve(client: Socket, upstream: Socket): Promise<void> {
    const [asked, answered] = [new Frames(client), new Frames(upstream)];
    for (;;) {
      const command = await asked.next();
      const name = /\$\d+\r\n(\w+)/.exec(command.toString('latin1', 0, 40))?.[1] ?? '';
      const answer = scripts.includes(name.toUpperCase()) ? this.answer : null;
      // For good: any later answer would be taken for this one.
      if (answer === silence) return void client.resume();
      if (answer !== null) {
        client.write(answer);
        continue;
      }
      upstream.write(command);
      client.write(await answered.next());
    }
  }
}

/** The whole values that arrive on a socket, one by one. */
class Frames {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.pause();
  }

  async next(): Promise<Buffer> {
    for (;;) {
      const end = endOf(this.#bytes, 0);
      if (end !== null) {
        const frame = this.#bytes.subarray(0, end);
        this.#bytes = this.#bytes.subarray(end);
        return frame;
      }
      const part = this.#socket.read() as Buffer | null;
      if (part !== null) this.#bytes = Buffer.concat([this.#bytes, part]);
      else await once(this.#socket, 'readable');
      if (this.#socket.destroyed) throw new Error('the connection ended');
    }
  }
}

/** Where a value of the protocol that begins here ends; null while part of it is missing. */
function endOf(bytes: Buffer, from: number): number | null {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd < 0) return null;
  const kind = String.fromCharCode(bytes[from] ?? 0);
  const size = Number(bytes.toString('latin1', from + 1, lineEnd));
  let end: number | null = lineEnd + 2;
  if (texts.includes(kind)) {
    end = size < 0 ? end : end + size + 2;
    return end <= bytes.length ? end : null;
  }
  const count = lists.includes(kind) ? size : kind === '%' ? 2 * size : 0;
  for (let at = 0; at < count && end !== null; at += 1) end = endOf(bytes, end);
  return end;
}
