import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { bearsName, followTls, readTls, type TlsFiles } from './tls-files.ts';

export type ListenerOptions = {
  readonly address: { readonly host: string; readonly port: number };
  readonly tls: TlsFiles | null;
  readonly connectionsMax: number;
  readonly onConnection: (socket: Socket) => void;
  /** Certificates on disk can't be taken up; those in force stay. */
  readonly onTlsError: (error: unknown) => void;
};

export type Listener = {
  readonly port: number;
  /** Accepts no more; open connections stay. */
  stop(): void;
};

const handshakeTimeoutMs = 10_000;

/**
 * Accepts connections and hands them on. Workers of one node share the port as they do for HTTP: a
 * gateway keeps few connections for long, and each is one worker's.
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls } = options;
  const { server, release } = tls ? await openTls(tls, options) : openPlain(options);
  server.maxConnections = options.connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options.address }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: () => {
      release();
      server.close();
    },
  };
}

type Opened = { readonly server: Server; readonly release: () => void };

function openPlain({ onConnection }: ListenerOptions): Opened {
  const server = createServer({ noDelay: true }, (socket) => accept(socket, onConnection));
  return { server, release: () => {} };
}

async function openTls(
  files: TlsFiles,
  { onConnection, onTlsError }: ListenerOptions,
): Promise<Opened> {
  const first = await readTls(files);
  const isMutual = files.clientCaPath !== null;
  const server = createTlsServer({
    ...first,
    ALPNProtocols: ['h2'],
    handshakeTimeout: handshakeTimeoutMs,
    noDelay: true,
    requestCert: isMutual,
    rejectUnauthorized: isMutual,
  });
  server.on('secureConnection', (socket) => {
    const isKnown = files.clientSan === null || bearsName(socket, files.clientSan);
    if (isKnown && socket.alpnProtocol === 'h2') accept(socket, onConnection);
    else socket.destroy();
  });
  const following = followTls(server, files, { first, onError: onTlsError });
  return { server, release: () => following.stop() };
}

function accept(socket: Socket, onConnection: (socket: Socket) => void): void {
  // A connection that breaks is nobody's fault here; who asked on it finds out by itself.
  socket.on('error', () => {});
  onConnection(socket);
}
