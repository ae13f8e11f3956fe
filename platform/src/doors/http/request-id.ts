import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** It is echoed in a header and written to logs: a narrow alphabet can forge neither. */
const acceptedPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}$/;

/** The caller's `X-Request-Id` when it is harmless, else one of ours. */
export function createRequestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const next = createCounter();
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && acceptedPattern.test(given) ? given : next();
  };
}

const countMax = 36 ** 5;

/**
 * Unique, not secret: random once in a while, then counted. At most twelve characters: V8 keeps
 * longer sums of texts as trees, and a header that is a tree costs a microsecond.
 */
function createCounter(): () => string {
  let prefix = randomPrefix();
  let count = 0;
  return () => {
    count += 1;
    if (count === countMax) {
      prefix = randomPrefix();
      count = 1;
    }
    return `${prefix}-${count.toString(36)}`;
  };
}

function randomPrefix(): string {
  return randomBytes(6).toString('base64url').replaceAll(/[_-]/g, '0').slice(0, 6);
}
