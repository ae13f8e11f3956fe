// What anybody would write first with the same library: a handler that asks Redis for one script
// that does nothing and answers one descriptor within its limit. Plain JavaScript, run by itself, as
// compiled code is. Figures of the process come by HTTP, as the service's do.

import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Redis } from 'ioredis';

const { PORT, GRPC_PORT, REDIS_URL = '' } = process.env;
const redis = new Redis(REDIS_URL);
const sha = String(await redis.script('LOAD', 'return 1'));
const key = 'sl1:{benchmark-tenant}:a-counter-of-the-same-length';

const definition = loadSync('envoy/service/ratelimit/v3/rls.proto', {
  includeDirs: [fileURLToPath(new URL('../../platform/proto', import.meta.url))],
});
/** @type {any} */
const { envoy } = grpc.loadPackageDefinition(definition);
const server = new grpc.Server();
server.addService(envoy.service.ratelimit.v3.RateLimitService.service, {
  /**
   * @param {unknown} _call
   * @param {(error: null, answer: object) => void} answer
   */
  ShouldRateLimit: (_call, answer) => {
    void redis.evalsha(sha, 1, key).then(() =>
      answer(null, {
        overallCode: 'OK',
        statuses: [
          {
            code: 'OK',
            currentLimit: { requestsPerUnit: 1_000_000, unit: 'HOUR' },
            limitRemaining: 999_999,
            durationUntilReset: { seconds: 1800 },
          },
        ],
      }),
    );
  },
});
const credentials = grpc.ServerCredentials.createInsecure();
await new Promise((resolve) => server.bindAsync(`127.0.0.1:${GRPC_PORT}`, credentials, resolve));

createServer((_request, response) => {
  const { user, system } = process.cpuUsage();
  response.end(`process_cpu_seconds_total ${(user + system) / 1_000_000}\n`);
}).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
