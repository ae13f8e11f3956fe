import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { framed, startAnswer } from './answer.ts';
import type { GrpcServer } from './grpc-server.ts';
import { readMessages } from './read-messages.ts';

/** A method as the gRPC library describes it. */
type Method = {
  readonly path: string;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (message: never) => Buffer;
};

export type Definition = Readonly<Record<string, unknown>>;
export type Implementation = Readonly<Record<string, unknown>>;

/** Serves a service written for the gRPC library's own server whose methods stream both ways. */
export function hostService(
  server: GrpcServer,
  { definition, implementation }: { definition: Definition; implementation: Implementation },
  { messageBytesMax }: { readonly messageBytesMax: number },
): void {
  for (const [name, described] of Object.entries(definition)) {
    const method = described as Method;
    const serve = implementation[name] as (call: StreamCall) => void;
    server.streaming(method.path, (stream) => {
      const call = new StreamCall(stream, method);
      serve(call);
      readMessages(stream, {
        bytesMax: messageBytesMax,
        isUnary: false,
        onMessage: (message) => call.hear(message),
      });
    });
  }
}

class StreamCall extends EventEmitter {
  readonly #stream: ServerHttp2Stream;
  readonly #method: Method;

  constructor(stream: ServerHttp2Stream, method: Method) {
    super();
    this.#stream = stream;
    this.#method = method;
    startAnswer(stream);
    stream.once('end', () => this.emit('end'));
  }

  hear(bytes: Buffer): void {
    try {
      this.emit('data', this.#method.requestDeserialize(bytes));
    } catch {
      // What it can't make sense of is no reason for anybody else to stop.
      this.end();
    }
  }

  write(message: never): void {
    if (this.#stream.writable) this.#stream.write(framed(this.#method.responseSerialize(message)));
  }

  end(): void {
    this.#stream.end();
  }
}
