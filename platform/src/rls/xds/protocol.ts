import { fileURLToPath } from 'node:url';
import type { ClientDuplexStream, ServiceDefinition } from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';
import type { ConfigMessage } from './config-message.ts';

/** Beside the compiled code as beside the sources: the build copies them. */
const protoPath = fileURLToPath(new URL('../../../proto', import.meta.url));

const configType = 'ratelimit.config.ratelimit.v3.RateLimitConfig';
export const configTypeUrl = `type.googleapis.com/${configType}`;

export type DiscoveryRequest = {
  readonly version_info?: string;
  readonly node?: { readonly id: string; readonly user_agent_name: string };
  readonly type_url: string;
  readonly response_nonce?: string;
  readonly error_detail?: { readonly code: number; readonly message: string };
};

/** What is empty is left out. */
export type DiscoveryResponse = {
  readonly version_info?: string;
  readonly resources?: readonly Resource[];
  readonly type_url?: string;
  readonly nonce?: string;
};

export type Resource = { readonly type_url?: string; readonly value?: Buffer };

export type DiscoveryCall = ClientDuplexStream<DiscoveryRequest, DiscoveryResponse>;

export type Protocol = {
  readonly service: ServiceDefinition;
  readonly read: (bytes: Buffer) => ConfigMessage;
};

/** From the files of the protocol. Loaded only where rules come this way. */
export async function loadProtocol(): Promise<Protocol> {
  const { load } = await import('@grpc/proto-loader');
  const definition = await load(
    ['envoy/service/discovery/v3/ads.proto', 'ratelimit/config/ratelimit/v3/rls_conf.proto'],
    { includeDirs: [protoPath], keepCase: true, enums: String },
  );
  const service = definition['envoy.service.discovery.v3.AggregatedDiscoveryService'];
  const config = definition[configType] as MessageTypeDefinition<ConfigMessage, ConfigMessage>;
  return {
    service: service as ServiceDefinition,
    read: (bytes) => config.deserialize(bytes),
  };
}
