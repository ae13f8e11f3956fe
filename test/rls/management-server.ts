import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const protoPath = fileURLToPath(new URL('../../platform/proto', import.meta.url));
const definition = loadSync(
  ['envoy/service/discovery/v3/ads.proto', 'ratelimit/config/ratelimit/v3/rls_conf.proto'],
  { includeDirs: [protoPath], keepCase: true, enums: String, defaults: true },
);
const service = definition['envoy.service.discovery.v3.AggregatedDiscoveryService'];
const configType = 'ratelimit.config.ratelimit.v3.RateLimitConfig';
const config = definition[configType] as MessageTypeDefinition<object, object>;
export const typeUrl = `type.googleapis.com/${configType}`;

/** What a client said, as far as anybody looks. */
export type Heard = {
  readonly version_info: string;
  readonly type_url: string;
  readonly response_nonce: string;
  readonly node: { readonly id: string } | null;
  readonly error_detail: { readonly code: number; readonly message: string } | null;
};
type Resource = { readonly type_url: string; readonly value: Buffer };
type Call = ServerDuplexStream<Heard, object>;

/** A management server as others have them: sends whole states of the world, and hears what becomes of them. */
export class ManagementServer {
  readonly heard: Heard[] = [];
  /** Sends what was refused at once again, as some do. */
  isInsisting = false;
  /** What it says its responses are. */
  responseType = typeUrl;
  /** How many streams were opened in all. */
  streams = 0;
  readonly #calls = new Set<Call>();
  #server: Server | null = null;
  #port = 0;
  #version = 0;
  #resources: readonly Resource[] | null = null;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The same port again after it was stopped. */
  async start(credentials = ServerCredentials.createInsecure()): Promise<this> {
    const server = new Server();
    server.addService(service as ServiceDefinition, {
      StreamAggregatedResources: (call: Call) => this.#serve(call),
    });
    this.#port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.#port}`, credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    this.#server = server;
    return this;
  }

  /** As if its process had been killed. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = null;
    this.#calls.clear();
  }

  /** All domains there are from now on; each as the text of a file. */
  publish(...files: readonly string[]): void {
    this.publishBytes(...files.map(resourceOf));
  }

  publishBytes(...resources: readonly Resource[]): void {
    this.#version += 1;
    this.#resources = resources;
    for (const call of this.#calls) this.#send(call);
  }

  /** The versions that were taken, and the reasons of refusals, in their order. */
  get answers(): readonly string[] {
    return this.heard
      .filter(({ response_nonce: nonce }) => nonce !== '')
      .map((one) => (one.error_detail ? one.error_detail.message : `took ${one.version_info}`));
  }

  #serve(call: Call): void {
    this.streams += 1;
    this.#calls.add(call);
    const gone = () => void this.#calls.delete(call);
    call.on('data', (request: Heard) => this.#hear(call, request));
    call.on('end', () => (gone(), call.end()));
    call.on('error', gone);
    call.on('cancelled', gone);
  }

  #hear(call: Call, request: Heard): void {
    this.heard.push(request);
    const isFirst = request.response_nonce === '';
    if (isFirst || (this.isInsisting && request.error_detail)) this.#send(call);
  }

  #send(call: Call): void {
    if (!this.#resources) return;
    call.write({
      version_info: String(this.#version),
      resources: this.#resources,
      type_url: this.responseType,
      nonce: `nonce-${this.#version}`,
    });
  }
}

/** What a file says, as the message that a management server makes of it. */
export function resourceOf(text: string): Resource {
  const file = parse(text, { merge: true }) as Said;
  return {
    type_url: typeUrl,
    value: config.serialize({ name: file['domain'], ...messageOf(file) }),
  };
}

type Said = { readonly [name: string]: unknown };

function messageOf(said: Said): Said {
  const entries = Object.entries(said).map(([name, value]): [string, unknown] => {
    if (name === 'descriptors') return [name, (value as Said[]).map(messageOf)];
    if (name === 'rate_limit') return [name, messageOf(value as Said)];
    if (name === 'unit') return [name, unitOf(String(value))];
    if (name === 'metadata') return [name, structOf(value as Said)];
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** One that the protocol has no name for is sent as a number that nobody knows. */
function unitOf(unit: string): string | number {
  return /^(second|minute|hour|day|week|month|year)$/i.test(unit) ? unit.toUpperCase() : 99;
}

function structOf(said: Said): Said {
  const fields = Object.entries(said).map(([name, value]) => [name, valueOf(value)]);
  return { fields: Object.fromEntries(fields) };
}

function valueOf(value: unknown): Said {
  if (Array.isArray(value)) return { listValue: { values: value.map(valueOf) } };
  if (typeof value === 'object' && value !== null) return { structValue: structOf(value as Said) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { numberValue: value };
  return typeof value === 'string' ? { stringValue: value } : { nullValue: 'NULL_VALUE' };
}
