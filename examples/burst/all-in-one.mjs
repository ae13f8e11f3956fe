// One check, six limits, one decision: all are charged, or none is.

import {
  concurrency,
  createLimiter,
  fixedWindow,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from 'sluice';
import { bold, dim, green, print, red } from './paint.mjs';

export async function allInOne() {
  const limiter = createLimiter({
    clock: () => Date.UTC(2026, 0, 15, 12) * 1000,
    limits: [
      tokenBucket({ name: 'burst', capacity: 10, refillPerSecond: 2 }),
      fixedWindow({ name: 'per-second', limit: 5, window: '1 s' }),
      slidingWindow({ name: 'per-minute', limit: 60, window: '1 min' }),
      slidingWindowCounter({ name: 'tenant-hourly', limit: 5000, window: '1 h', per: ['tenant'] }),
      concurrency({ name: 'open-calls', maxConcurrent: 4, staleAfter: '30 s', per: ['tenant'] }),
      quota({
        name: 'monthly-tokens',
        unit: 'tokens',
        limit: 1000,
        period: 'month',
        per: ['tenant'],
      }),
    ],
  });
  const call = { tenant: 'acme', subject: 'user:42', resource: 'POST:/search' };
  const peek = { ...call, cost: 0 };

  await limiter.check({ ...call, costs: { tokens: 400 } });
  await limiter.check({ ...call, costs: { tokens: 400 } });
  const before = await limiter.check(peek);
  const decision = await limiter.check({ ...call, costs: { tokens: 400 } });
  const after = await limiter.check(peek);

  print(`${bold('One check, six limits, one decision')}
${dim('The third call that costs 400 tokens. One limit refuses, so none is charged.')}

${dim(line(['limit', 'algorithm', 'cost', 'before', 'after', 'of', 'verdict']))}`);
  decision.limits.forEach((limit, at) => {
    const cells = [
      limit.name,
      limit.algorithm,
      String(limit.cost),
      String(before.limits[at]?.used),
      String(after.limits[at]?.used),
      String(limit.limit),
    ];
    print(line([...cells, limit.allowed ? green('admits') : red('refuses')]));
  });
  print(`
decision.allowed       ${decision.allowed}
decision.blockedBy     ${decision.blockedBy?.limit}: ${decision.blockedBy?.reason}
decision.retryAfterMs  ${decision.retryAfterMs}
decision.message       ${decision.message}
`);
}

const widths = [14, 23, -5, -7, -6, -5];

/** A negative width aligns to the right. @param {readonly string[]} cells */
function line(cells) {
  return cells
    .map((cell, at) => {
      const width = widths[at] ?? 0;
      return width < 0 ? `${cell.padStart(-width)}  ` : `${cell.padEnd(width)}  `;
    })
    .join('')
    .trimEnd();
}
