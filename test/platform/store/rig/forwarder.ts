import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/** One address whose meaning the test changes, as a name does in DNS; connections stay as they are. */
export class Forwarder {
  /** Where new connections lead. */
  targetPort: number;
  /** What is changed in what the server says; as long afterwards as before. */
  rewrite: (reply: string) => string = (reply) => reply;
  readonly #server: Server;

  private constructor(targetPort: number) {
    this.targetPort = targetPort;
    this.#server = createServer((client) => {
      const target = connect({ host: '127.0.0.1', port: this.targetPort, noDelay: true });
      client.setNoDelay(true);
      client.pipe(target);
      target.on('data', (reply) => {
        client.write(this.rewrite(reply.toString('latin1')), 'latin1');
      });
      for (const [one, other] of [
        [client, target],
        [target, client],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
  }

  static async start(targetPort: number): Promise<Forwarder> {
    const forwarder = new Forwarder(targetPort);
    forwarder.#server.listen({ host: '127.0.0.1', port: 0 });
    await once(forwarder.#server, 'listening');
    return forwarder;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** After those who are connected have left. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}
