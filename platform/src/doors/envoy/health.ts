import {
  status as grpcStatus,
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { RlsRefusal, type RateLimitService } from '../../rls/ask.ts';
import { rateLimitServiceName } from './names.ts';
import { plainMethod } from './plain-method.ts';
import { WireReader, wireType } from './wire/wire-reader.ts';

export type HealthParts = {
  readonly rateLimits: Pick<RateLimitService, 'isLoaded'>;
  /** Whether the store that counts takes commands. */
  readonly isStoreThere: () => boolean;
};

type Watcher = ServerWritableStream<Buffer, Buffer>;

const statuses = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;
/** Whole messages: the one field that they have. */
const messages = {
  [statuses.serving]: Buffer.from([8, statuses.serving]),
  [statuses.notServing]: Buffer.from([8, statuses.notServing]),
  [statuses.serviceUnknown]: Buffer.from([8, statuses.serviceUnknown]),
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
  readonly #watchers = new Set<Watcher>();
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

  readonly check: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    const name = serviceOf(call.request);
    if (name === null) callback({ code: grpcStatus.INVALID_ARGUMENT, details: 'not well-formed' });
    else if (services.includes(name)) callback(null, messages[this.#status()]);
    else callback({ code: grpcStatus.NOT_FOUND, details: 'there is no such service here' });
  };

  readonly watch = (call: Watcher): void => {
    const name = serviceOf(call.request);
    if (name === null || !services.includes(name)) {
      call.write(messages[statuses.serviceUnknown]);
      return void call.end();
    }
    if (this.#watchers.size >= watchersMax || this.#isDraining) {
      return void call.emit('error', {
        code: this.#isDraining ? grpcStatus.UNAVAILABLE : grpcStatus.RESOURCE_EXHAUSTED,
        details: 'no more watchers; ask by Check',
      });
    }
    this.#watchers.add(call);
    call.on('cancelled', () => this.#watchers.delete(call));
    call.on('close', () => this.#watchers.delete(call));
    call.write(messages[this.#status()]);
  };

  #status() {
    return this.isServing ? statuses.serving : statuses.notServing;
  }

  #look(): void {
    const isServing = this.isServing;
    if (isServing === this.#lastSaid) return;
    this.#lastSaid = isServing;
    for (const watcher of this.#watchers) watcher.write(messages[this.#status()]);
  }
}

export const healthDefinition = {
  check: plainMethod('/grpc.health.v1.Health/Check'),
  watch: { ...plainMethod('/grpc.health.v1.Health/Watch'), responseStream: true },
} satisfies ServiceDefinition;

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
