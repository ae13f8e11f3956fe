import type { ServerHttp2Stream } from 'node:http2';
import { RlsRefusal, type RateLimitService } from '../../rls/ask.ts';
import { answer, framed, refuse, startAnswer } from './grpc/answer.ts';
import type { GrpcServer } from './grpc/grpc-server.ts';
import { readMessages } from './grpc/read-messages.ts';
import { rateLimitServiceName } from './names.ts';
import { WireReader, wireType } from './wire/wire-reader.ts';

export type HealthParts = {
  readonly rateLimits: Pick<RateLimitService, 'isLoaded'>;
  /** Whether the store that counts takes commands. */
  readonly isStoreThere: () => boolean;
};

const statuses = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;
/** Whole messages in their frames: the one field that they have. */
const messages = {
  [statuses.serving]: framed(Uint8Array.of(8, statuses.serving)),
  [statuses.notServing]: framed(Uint8Array.of(8, statuses.notServing)),
  [statuses.serviceUnknown]: framed(Uint8Array.of(8, statuses.serviceUnknown)),
} as const;

/** The empty name is the whole server; the second is what the reference service answers to. */
const services: readonly string[] = ['', 'ratelimit', rateLimitServiceName];
const nameTag = (1 << 3) | wireType.bytes;
const nameBytesMax = 256;
const lookEveryMs = 250;
const watchersMax = 1000;

/** Whether gateways should ask here: rules are loaded, the store is there, and nobody said stop. */
export class Health {
  readonly #parts: HealthParts;
  readonly #watchers = new Set<ServerHttp2Stream>();
  readonly #timer: NodeJS.Timeout;
  #isDraining = false;
  #lastSaid: boolean;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#lastSaid = this.isServing;
    this.#timer = setInterval(() => this.#look(), lookEveryMs).unref();
  }

  get isServing(): boolean {
    return !this.#isDraining && this.#parts.rateLimits.isLoaded && this.#parts.isStoreThere();
  }

  drain(): void {
    this.#isDraining = true;
    this.#look();
  }

  /** Ends the calls of who watches: they would keep their connections for ever. */
  close(): void {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.end();
    this.#watchers.clear();
  }

  serveOn(server: GrpcServer): void {
    server.unary('/grpc.health.v1.Health/Check', (message, stream) => this.#check(message, stream));
    server.streaming('/grpc.health.v1.Health/Watch', (stream) =>
      readMessages(stream, {
        bytesMax: nameBytesMax * 2,
        isUnary: true,
        onMessage: (message) => this.#watch(message, stream),
      }),
    );
  }

  #check(message: Buffer, stream: ServerHttp2Stream): void {
    const name = serviceOf(message);
    if (name === null) refuse(stream, 'INVALID_ARGUMENT', 'the message is not well-formed');
    else if (services.includes(name)) answer(stream, messages[this.#status()]);
    else refuse(stream, 'NOT_FOUND', 'there is no such service here');
  }

  #watch(message: Buffer, stream: ServerHttp2Stream): void {
    const name = serviceOf(message);
    if (name === null || !services.includes(name)) {
      return answer(stream, messages[statuses.serviceUnknown]);
    }
    if (this.#isDraining) return refuse(stream, 'UNAVAILABLE', 'this node is going');
    if (this.#watchers.size >= watchersMax) {
      return refuse(stream, 'RESOURCE_EXHAUSTED', 'there are too many watchers; ask by Check');
    }
    this.#watchers.add(stream);
    stream.once('close', () => this.#watchers.delete(stream));
    startAnswer(stream);
    stream.write(messages[this.#status()]);
  }

  #status() {
    return this.isServing ? statuses.serving : statuses.notServing;
  }

  #look(): void {
    const isServing = this.isServing;
    if (isServing === this.#lastSaid) return;
    this.#lastSaid = isServing;
    for (const watcher of this.#watchers) {
      if (watcher.writable) watcher.write(messages[this.#status()]);
    }
  }
}

function serviceOf(bytes: Buffer): string | null {
  try {
    const reader = new WireReader(bytes);
    let name = '';
    while (reader.next()) {
      if (reader.tag === nameTag) name = reader.text(nameBytesMax, 'service');
      else reader.skip();
    }
    return name;
  } catch (error) {
    if (error instanceof RlsRefusal) return null;
    throw error;
  }
}
