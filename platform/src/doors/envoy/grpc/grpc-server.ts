import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { refuse } from './answer.ts';
import { keepSession } from './keep-session.ts';
import { readMessages } from './read-messages.ts';

/** Hears the message of a call and answers on its stream. It never throws. */
export type UnaryHandler = (message: Buffer, stream: ServerHttp2Stream) => void;
/** Hears the stream itself, once its call was accepted. */
export type StreamHandler = (stream: ServerHttp2Stream) => void;

export type GrpcServerOptions = {
  readonly messageBytesMax: number;
  readonly streamsMax: number;
  readonly connectionAgeMs: number;
};

const headerBytesMax = 16_384;

/**
 * As much of gRPC as it takes to answer gateways, on Node's HTTP/2: it costs half of what a general
 * server costs for each call (docs/envoy.md).
 */
export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #handlers = new Map<string, StreamHandler>();
  #isClosing = false;

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    const server = createServer({
      settings: {
        enablePush: false,
        maxConcurrentStreams: options.streamsMax,
        maxHeaderListSize: headerBytesMax,
      },
    });
    server.on('session', (session) => this.#add(session));
    server.on('stream', (stream, headers) => this.#serve(stream, headers));
    this.#server = server;
  }

  unary(path: string, handler: UnaryHandler): void {
    const bytesMax = this.#options.messageBytesMax;
    this.#handlers.set(path, (stream) =>
      readMessages(stream, {
        bytesMax,
        isUnary: true,
        onMessage: (message) => handler(message, stream),
      }),
    );
  }

  streaming(path: string, handler: StreamHandler): void {
    this.#handlers.set(path, handler);
  }

  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  /** Asks every connection to end once its calls are answered, and waits until all have. */
  async drain(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      [...this.#sessions].map(
        (session) =>
          new Promise<void>((resolve) => {
            session.once('close', resolve);
            session.close();
          }),
      ),
    );
  }

  destroy(): void {
    this.#isClosing = true;
    for (const session of this.#sessions) session.destroy();
  }

  #add(session: ServerHttp2Session): void {
    if (this.#isClosing) return session.destroy();
    this.#sessions.add(session);
    session.on('error', ignore);
    const kept = keepSession(session, this.#options.connectionAgeMs);
    session.once('close', () => {
      kept.stop();
      this.#sessions.delete(session);
    });
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // A call that breaks off is over; there is nobody to tell.
    stream.on('error', ignore);
    if (headers['content-type']?.startsWith('application/grpc') !== true) {
      stream.respond({ ':status': 415 }, { endStream: true });
      return;
    }
    const handler = this.#handlers.get(String(headers[':path']));
    if (handler) handler(stream);
    else refuse(stream, 'UNIMPLEMENTED', 'there is no such method here');
  }
}

function ignore(): void {}
