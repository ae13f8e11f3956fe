import { readFile } from 'node:fs/promises';
import type { ChannelCredentials } from '@grpc/grpc-js';
import type { DiscoveryCall, Protocol } from './protocol.ts';

/** Who is asked for rules. */
export type XdsServer = {
  /** `host:port` */
  readonly address: string;
  /** Null without TLS. */
  readonly tls: XdsTls | null;
};

export type XdsTls = {
  /** Who must have signed the server's certificate; null for whom Node trusts. */
  readonly caPath: string | null;
  /** What is shown to the server; both or neither. */
  readonly certPath: string | null;
  readonly keyPath: string | null;
  /** The name that its certificate must bear, where that is not the host's. */
  readonly name: string | null;
};

export type Connection = {
  readonly call: DiscoveryCall;
  /** Why it did. */
  readonly ended: Promise<string>;
  close(): void;
};

export const messageBytesMax = 4_194_304;

/** Many servers end connections that ask for a sign of life more often than every five minutes. */
const keepaliveMs = 330_000;
const keepaliveTimeoutMs = 20_000;
const connectMs = 20_000;

/**
 * A connection of its own for each stream, with certificates as they are now. The library would try
 * again at its own pace on one that it keeps.
 */
export async function connect(
  { address, tls }: XdsServer,
  { service }: Protocol,
): Promise<Connection> {
  const grpc = await import('@grpc/grpc-js');
  const channel = tls ? await secured(tls) : grpc.credentials.createInsecure();
  const Client = grpc.makeClientConstructor(service, 'AggregatedDiscoveryService');
  const client = new Client(`dns:${address}`, channel, {
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    ...(tls?.name && { 'grpc.ssl_target_name_override': tls.name }),
  });
  const call = (client['StreamAggregatedResources'] as () => DiscoveryCall).call(client);
  const isConnected = () =>
    client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY;
  const { ended, stopWaiting } = whenEnded(call, isConnected);
  const close = () => {
    stopWaiting();
    call.cancel();
    client.close();
  };
  return { call, ended, close };
}

async function secured({ caPath, certPath, keyPath }: XdsTls): Promise<ChannelCredentials> {
  const { credentials } = await import('@grpc/grpc-js');
  const read = async (path: string | null) => (path === null ? null : readFile(path));
  const [ca, key, cert] = await Promise.all([caPath, keyPath, certPath].map(read));
  return credentials.createSsl(ca, key, cert);
}

/** Also where it never began: whoever does not answer at all would be waited for without end. */
function whenEnded(call: DiscoveryCall, isConnected: () => boolean) {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<string>((resolve) => {
    // The status tells of it too; an error that nobody hears would end the process.
    call.on('error', () => {});
    call.on('status', ({ details }) => resolve(details || 'the server ended the stream'));
    timer = setTimeout(() => {
      if (!isConnected()) resolve(`no connection within ${connectMs / 1000} s`);
    }, connectMs).unref();
  });
  return { ended, stopWaiting: () => clearTimeout(timer) };
}
