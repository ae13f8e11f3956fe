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

/** Unique, not secret: random once per process, then counted, which is far cheaper per request. */
function createCounter(): () => string {
  const prefix = randomBytes(9).toString('base64url').replaceAll(/[_-]/g, '0');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
