// The README's second example: the same limits, counted in Redis for all processes together.
// Takes the address from SLUICE_REDIS_URL; without one, a Redis on this machine.

import { Redis } from 'ioredis';
import { createLimiter, slidingWindow, tokenBucket } from 'sluice';

const url = process.env['SLUICE_REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const limits = [
  tokenBucket({ name: 'burst', capacity: 5, refillPerSecond: 0.01 }),
  slidingWindow({ name: 'per-minute', limit: 100, window: '1 min', per: ['tenant'] }),
];

const redis = new Redis(url, { autoResendUnfulfilledCommands: false, lazyConnect: true });
await redis.connect();
const limiter = createLimiter({ redis, limits, deadlineMs: 1000 });

const check = { resource: 'POST:/search', subject: 'user:42', cost: 3 };
await limiter.reset(check);
const decision = await limiter.check(check);
console.log(decision.basis, decision.allowed, decision.remaining);

const another = await limiter.check(check);
console.log(another.basis, another.allowed, another.blockedBy?.limit, another.message);
redis.disconnect();
