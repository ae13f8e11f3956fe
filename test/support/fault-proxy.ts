import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, connect, type Socket } from 'node:net';

export type Fault =
  | { readonly kind: 'pass' }
  /** Requests arrive and are carried out; their replies get lost and the connection stays. */
  | { readonly kind: 'swallow_replies' }
  /** Requests arrive and are carried out; when the reply comes, or so many later, the connection is reset. */
  | { readonly kind: 'reset_on_reply'; readonly after?: number }
  /** The same for one connection alone: who comes back finds all well. */
  | { readonly kind: 'reset_one_reply' }
  /** Replies come late by this much, and by up to as much more as the jitter says. */
  | { readonly kind: 'delay'; readonly ms: number; readonly jitterMs?: number }
  /** Replies come at this rate at most, on each connection. */
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }
  /** So many more bytes of replies are delivered, then the connection ends. */
  | { readonly kind: 'cut_after'; readonly bytes: number }
  /** At the next reply the server's side is closed; what the client sends is still taken. */
  | { readonly kind: 'half_close' }
  /** Connections are accepted; nothing is forwarded. */
  | { readonly kind: 'swallow' };

type Deliver = (reply: Buffer, delayMs: number) => void;

/** A client, how to answer it, and until when what was sent to it takes at its rate. */
type Line = {
  readonly client: Socket;
  readonly deliver: Deliver;
  busyUntilMs: number;
  isSilent: boolean;
};

/** What comes later never overtakes what was held up. */
function inOrder(client: Socket): Deliver {
  let waiting = Promise.resolve();
  let count = 0;
  return (reply, delayMs) => {
    if (delayMs === 0 && count === 0) return void client.write(reply);
    count += 1;
    const elapsed = new Promise((resolve) => {
      setTimeout(resolve, delayMs).unref();
    });
    const after = async (before: Promise<void>) => {
      await before;
      await elapsed;
      count -= 1;
      client.write(reply);
    };
    waiting = after(waiting);
  };
}

/** A TCP proxy on 127.0.0.1 in front of a server, with faults that the test switches on and off. */
export class FaultProxy {
  fault: Fault = { kind: 'pass' };
  /** Times that bytes of a client were forwarded, and that replies were held back. */
  readonly seen = { forwarded: 0, lost: 0 };
  /** When each connection was accepted, by `performance.now()`. */
  readonly acceptedAtMs: number[] = [];
  readonly #server: Server;
  readonly #upstreamPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #lines = new Set<Line>();

  private constructor(upstreamPort: number) {
    this.#upstreamPort = upstreamPort;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(upstreamPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstreamPort);
    proxy.#server.listen({ host: '127.0.0.1', port: 0 });
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection, as a network does that breaks. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The connections that are open now go silent for good, as half-open ones do; new ones work. */
  silence(): void {
    for (const line of this.#lines) line.isSilent = true;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    this.acceptedAtMs.push(performance.now());
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
    const line: Line = { client, deliver: inOrder(client), busyUntilMs: 0, isSilent: false };
    this.#lines.add(line);
    client.once('close', () => this.#lines.delete(line));
    client.on('data', (request) => {
      if (this.fault.kind === 'swallow' || line.isSilent) return;
      this.seen.forwarded += 1;
      upstream.write(request);
    });
    upstream.on('data', (reply) => this.#answer(line, reply));
  }

  #answer(line: Line, reply: Buffer): void {
    const { client, deliver } = line;
    if (line.isSilent) return;
    switch (this.fault.kind) {
      case 'pass':
        deliver(reply, 0);
        return;
      case 'delay':
        deliver(reply, this.fault.ms + Math.random() * (this.fault.jitterMs ?? 0));
        return;
      case 'throttle': {
        const nowMs = performance.now();
        const takesMs = (reply.length / this.fault.bytesPerSecond) * 1000;
        line.busyUntilMs = Math.max(nowMs, line.busyUntilMs) + takesMs;
        deliver(reply, line.busyUntilMs - nowMs);
        return;
      }
      case 'reset_one_reply':
        this.fault = { kind: 'pass' };
        this.seen.lost += 1;
        client.resetAndDestroy();
        return;
      case 'cut_after': {
        const { bytes } = this.fault;
        this.fault = { kind: 'cut_after', bytes: Math.max(0, bytes - reply.length) };
        if (reply.length <= bytes) return deliver(reply, 0);
        this.seen.lost += 1;
        client.write(reply.subarray(0, bytes), () => client.destroy());
        return;
      }
      case 'half_close':
        this.seen.lost += 1;
        client.end();
        return;
      case 'reset_on_reply':
        if ((this.fault.after ?? 0) > 0) {
          this.fault = { kind: 'reset_on_reply', after: (this.fault.after ?? 0) - 1 };
          deliver(reply, 0);
          return;
        }
        this.seen.lost += 1;
        client.resetAndDestroy();
        return;
      case 'swallow':
      case 'swallow_replies':
        this.seen.lost += 1;
    }
  }
}
