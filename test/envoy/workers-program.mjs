// Two processes that serve the door on one port, as the workers of a node do; each says which it is.

import cluster from 'node:cluster';
import { pathToFileURL } from 'node:url';

const [, , distPath = ''] = process.argv;

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let listening = 0;
  for (const worker of workers) {
    worker.on('message', ({ port }) => {
      listening += 1;
      if (listening === workers.length) console.log(`listening on ${port}`);
    });
  }
  process.once('SIGTERM', () => {
    for (const worker of workers) worker.process.kill('SIGKILL');
    process.exit();
  });
} else {
  const at = (/** @type {string} */ path) => import(String(pathToFileURL(`${distPath}/${path}`)));
  const { Health, openEnvoyDoor } = await at('doors/envoy/index.js');
  const { createLogger, Metrics } = await at('observe/index.js');
  const answer = {
    isOver: false,
    statuses: [],
    responseHeaders: [],
    requestHeaders: [],
    body: String(process.pid),
    metadata: null,
  };
  const rateLimits = { isLoaded: true, ask: async () => answer };
  const { port } = await openEnvoyDoor(
    {
      address: { host: '127.0.0.1', port: 0 },
      tls: null,
      reflection: true,
      connectionAgeMs: 3_600_000,
      connectionsMax: 100,
      graceMs: 0,
    },
    {
      rateLimits,
      health: new Health({ rateLimits, isStoreThere: () => true }),
      metrics: new Metrics(),
      log: createLogger({ level: 'silent' }),
    },
  );
  process.send?.({ port });
}
