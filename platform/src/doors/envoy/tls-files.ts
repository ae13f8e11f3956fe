import { readFile } from 'node:fs/promises';
import type { SecureContextOptions, Server, TLSSocket } from 'node:tls';

/** Where the certificates are. */
export type TlsFiles = {
  readonly certPath: string;
  readonly keyPath: string;
  /** Who vouches for clients; without it anybody may connect. */
  readonly clientCaPath: string | null;
  /** One of the names that a client's certificate must bear, such as `spiffe://mesh/envoy`. */
  readonly clientSan: string | null;
};

const lookEveryMs = 1000;

export async function readTls(files: TlsFiles): Promise<SecureContextOptions> {
  const [cert, key, ca] = await Promise.all([
    readFile(files.certPath),
    readFile(files.keyPath),
    files.clientCaPath === null ? undefined : readFile(files.clientCaPath),
  ]);
  return { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' };
}

/**
 * Takes up certificates that were replaced on disk. The files are read again, rather than watched:
 * whoever renews them may swap a link several folders above. What does not fit together, such as a
 * key that was written before its certificate, is left for the next look.
 */
export function followTls(
  server: Server,
  files: TlsFiles,
  {
    first,
    onError,
    everyMs = lookEveryMs,
  }: {
    readonly first: SecureContextOptions;
    readonly onError: (error: unknown) => void;
    readonly everyMs?: number;
  },
): { stop(): void } {
  let current = first;
  let isLooking = false;
  const look = async () => {
    const found = await readTls(files);
    if (isSame(found, current)) return;
    server.setSecureContext(found);
    current = found;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(onError)
      .finally(() => (isLooking = false));
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

function isSame(a: SecureContextOptions, b: SecureContextOptions): boolean {
  return [a.cert, a.key, a.ca].map(String).join() === [b.cert, b.key, b.ca].map(String).join();
}

/** Whether the certificate that a client showed bears the name. Types may be named: `DNS:envoy`. */
export function bearsName(socket: TLSSocket, name: string): boolean {
  const { subjectaltname = '' } = socket.getPeerCertificate();
  // A name with a comma is in quotes there, and so equals none of what is asked for.
  const names = subjectaltname.split(', ');
  return names.some((one) => one === name || one.slice(one.indexOf(':') + 1) === name);
}
