// The door as it is published, before a service that asks Redis for one script that does nothing:
// what reading, writing and the connection cost, without any deciding.

import { createServer } from 'node:http';
import { Redis } from 'ioredis';

const { PORT, GRPC_PORT, REDIS_URL = '', DIST_URL = '' } = process.env;
const { Health, openEnvoyDoor } = await import(`${DIST_URL}/doors/envoy/index.js`);
const { createLogger, Metrics } = await import(`${DIST_URL}/observe/index.js`);
const redis = new Redis(REDIS_URL);
const sha = String(await redis.script('LOAD', 'return 1'));
const key = 'sl1:{benchmark-tenant}:a-counter-of-the-same-length';

const rateLimits = {
  isLoaded: true,
  ask: async (/** @type {{ descriptors: readonly object[] }} */ { descriptors }) => {
    await redis.evalsha(sha, 1, key);
    return {
      isOver: false,
      statuses: descriptors.map(() => ({
        isOver: false,
        limit: { name: null, requestsPerUnit: 1_000_000, unit: 'HOUR' },
        remaining: 999_999,
        resetSeconds: 1800,
        quota: null,
      })),
      responseHeaders: [],
      requestHeaders: [],
      body: null,
      metadata: null,
    };
  },
};

await openEnvoyDoor(
  {
    address: { host: '127.0.0.1', port: Number(GRPC_PORT) },
    tls: null,
    reflection: true,
    connectionAgeMs: 86_400_000,
    connectionsMax: 1000,
    graceMs: 0,
  },
  {
    rateLimits,
    health: new Health({ rateLimits, isStoreThere: () => true }),
    metrics: new Metrics(),
    log: createLogger({ level: 'silent' }),
  },
);
createServer((_request, response) => {
  const { user, system } = process.cpuUsage();
  response.end(`process_cpu_seconds_total ${(user + system) / 1_000_000}\n`);
}).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
