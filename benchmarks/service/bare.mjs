// What anybody would write first: a Fastify route that parses and validates the same body, asks
// Redis for one script that does nothing, and answers the same bytes. Plain JavaScript, run by
// itself, as compiled code is.

import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { Redis } from 'ioredis';

const { PORT, ANSWER_FILE = '', REDIS_URL = '' } = process.env;
/** @type {{ headers: Record<string, string>, body: string }} */
const answer = JSON.parse(readFileSync(ANSWER_FILE, 'utf8'));
const redis = REDIS_URL === '' ? null : new Redis(REDIS_URL);
const sha = redis ? String(await redis.script('LOAD', 'return 1')) : '';
const key = 'sl1:{benchmark-tenant}:a-counter-of-the-same-length';

const app = fastify();
const body = {
  type: 'object',
  required: ['resource', 'subject'],
  additionalProperties: false,
  properties: {
    resource: { type: 'string', minLength: 1, maxLength: 2048 },
    subject: { type: 'string', minLength: 1, maxLength: 1024 },
    cost: { type: 'integer', minimum: 0 },
    costs: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
    attributes: { type: 'object', additionalProperties: { type: 'string', maxLength: 1024 } },
    plan_id: { type: 'string', format: 'uuid' },
    idempotency_key: { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,128}$' },
  },
};
app.post('/v1/check', { schema: { body } }, async (_request, reply) => {
  if (redis) await redis.evalsha(sha, 1, key);
  reply.headers(answer.headers);
  return answer.body;
});
app.get('/v1/health', async () => ({ status: 'ok' }));
app.get('/metrics', async () => {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1_000_000}\n`;
});
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit());
