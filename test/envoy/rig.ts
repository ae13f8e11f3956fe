import {
  credentials,
  loadPackageDefinition,
  type ChannelCredentials,
  type Client,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Health, openEnvoyDoor, type EnvoyDoor } from '../../platform/src/doors/envoy/index.ts';
import type { EnvoyDoorOptions } from '../../platform/src/doors/envoy/door.ts';
import { createLogger, Metrics } from '../../platform/src/observe/index.ts';
import { CountingService } from './counting-service.ts';

const protoPath = fileURLToPath(new URL('../../platform/proto', import.meta.url));

/** Another's reading of the same files: what it writes we read, and the other way round. */
export const protocol: PackageDefinition = loadSync(
  ['envoy/service/ratelimit/v3/rls.proto', 'grpc/health/v1/health.proto'],
  { includeDirs: [protoPath], longs: Number, enums: String, oneofs: true },
);

export type Said = { readonly [field: string]: unknown };
export type Answer = Said & { readonly overallCode: string; readonly statuses: readonly Said[] };

export type Rig = {
  readonly door: EnvoyDoor;
  readonly health: Health;
  readonly service: CountingService;
  readonly metrics: Metrics;
  readonly address: string;
  /** What was logged and handed on: a line waits for a moment, for others to go with it. */
  readonly log: () => string;
  /** All that was logged so far. */
  readonly wholeLog: () => Promise<string>;
  readonly client: (channel?: ChannelCredentials, options?: object) => DoorClient;
};

/** A door on a port of its own until the test ends, before a service that counts in process. */
export async function openDoor(
  options: Partial<EnvoyDoorOptions> = {},
  { isStoreThere = () => true }: { readonly isStoreThere?: () => boolean } = {},
): Promise<Rig> {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (text) => lines.push(text) } });
  const metrics = new Metrics({ process: false });
  const service = new CountingService();
  const health = new Health({ rateLimits: service, isStoreThere });
  const door = await openEnvoyDoor(
    {
      address: { host: '127.0.0.1', port: 0 },
      tls: null,
      reflection: false,
      connectionAgeMs: 3_600_000,
      connectionsMax: 100,
      graceMs: 0,
      ...options,
    },
    { rateLimits: service, health, metrics, log },
  );
  const address = `127.0.0.1:${door.port}`;
  onTestFinished(async () => {
    await door.close();
    await log.close();
  });
  return {
    door,
    health,
    service,
    metrics,
    address,
    log: () => lines.join(''),
    wholeLog: async () => {
      await log.close();
      return lines.join('');
    },
    client: (channel, more) => new DoorClient(address, channel, more),
  };
}

const waitMs = 20_000;

/** A gateway, as far as the door can tell. Closed when the test ends. */
export class DoorClient {
  readonly #rls: Client;
  readonly #health: Client;

  constructor(address: string, channel = credentials.createInsecure(), options: object = {}) {
    const { envoy, grpc } = loadPackageDefinition(protocol) as never as {
      readonly envoy: { service: { ratelimit: { v3: { RateLimitService: typeof Client } } } };
      readonly grpc: { health: { v1: { Health: typeof Client } } };
    };
    this.#rls = new envoy.service.ratelimit.v3.RateLimitService(address, channel, options);
    this.#health = new grpc.health.v1.Health(address, channel, options);
    onTestFinished(() => this.close());
  }

  ask(request: Said): Promise<Answer> {
    return this.#unary(this.#rls, 'ShouldRateLimit', request) as Promise<Answer>;
  }

  /** One descriptor of one entry. */
  askFor(user: string, more: Said = {}): Promise<Answer> {
    return this.ask({ domain: 'shop', descriptors: [descriptorOf(user)], ...more });
  }

  /** Bytes as they are, to be read by the server as a request. */
  askBytes(bytes: Buffer, path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit') {
    return new Promise<Buffer>((resolve, reject) => {
      const asIs = (one: Buffer) => one;
      const deadline = Date.now() + waitMs;
      this.#rls.makeUnaryRequest(path, asIs, asIs, bytes, { deadline }, (error, answer) =>
        error ? reject(error) : resolve(answer as Buffer),
      );
    });
  }

  async check(service: string): Promise<string> {
    const { status } = await this.#unary(this.#health, 'Check', { service });
    return String(status);
  }

  /** Hears each status until the call ends. */
  watch(service: string, hear: (status: string) => void): Promise<void> {
    const methods = this.#health as never as Record<string, (asked: Said) => NodeJS.EventEmitter>;
    const call = methods['Watch']?.call(this.#health, { service });
    call?.on('data', ({ status }: Said) => hear(String(status)));
    return new Promise((resolve, reject) => call?.on('end', resolve).on('error', reject));
  }

  close(): void {
    this.#rls.close();
    this.#health.close();
  }

  #unary(client: Client, method: string, request: Said): Promise<Said> {
    type Method = (
      asked: Said,
      options: object,
      done: (error: ServiceError | null, answer?: Said) => void,
    ) => void;
    const methods = client as never as Record<string, Method>;
    return new Promise((resolve, reject) => {
      methods[method]?.call(client, request, { deadline: Date.now() + waitMs }, (error, answer) =>
        error ? reject(error) : resolve(answer ?? {}),
      );
    });
  }
}

export function descriptorOf(user: string, more: Said = {}): Said {
  return { entries: [{ key: 'user', value: user }], ...more };
}

/** What a call fails with, as its name. */
export function failing(code: number, details?: RegExp): object {
  return details ? { code, details: expectMatching(details) } : { code };
}

function expectMatching(pattern: RegExp): object {
  return { asymmetricMatch: (text: unknown) => pattern.test(String(text)) };
}
