// The README's first example: two limits, one decision, in this process.

import { createLimiter, slidingWindow, tokenBucket } from 'sluice';

const limiter = createLimiter({
  limits: [
    tokenBucket({ name: 'burst', capacity: 5, refillPerSecond: 1 }),
    slidingWindow({ name: 'per-minute', limit: 100, window: '1 min', per: ['tenant'] }),
  ],
});

const decision = await limiter.check({ resource: 'POST:/search', subject: 'user:42', cost: 3 });
console.log(decision.allowed, decision.remaining);

const another = await limiter.check({ resource: 'POST:/search', subject: 'user:42', cost: 3 });
console.log(another.allowed, another.blockedBy?.limit, another.message);
