import { createServer } from 'node:net';

// Below the range systems use for outgoing connections, so that none takes a port between our look
// and the server's start; a Redis cluster node also takes the port 10,000 above its own.
const portMin = 12_000;
const portMax = 21_999;
const clusterBusOffset = 10_000;

const handedOut = new Set<number>();

/** Another process may still win the race for it: whoever starts a server on it must retry. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if ((await isFree(port)) && (await isFree(port + clusterBusOffset))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)));
  });
}
