import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** Node drops headers above 2000 silently, and with them what a proxy has added at the end. */
const headersMax = 200;

/**
 * What Node takes and a proxy may read another way. Where one of two ends a request early, another
 * request can hide in it, and is charged to the wrong caller.
 */
export function findAmbiguity({
  headers,
  httpVersionMinor,
  rawHeaders,
}: IncomingMessage): Problem | null {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersionMinor === 0) {
      return new Problem('invalid_request', 'HTTP/1.0 has no transfer-encoding.');
    }
    if (coding.toLowerCase() !== 'chunked') {
      return new Problem('invalid_request', 'The only transfer-encoding here is chunked.');
    }
  }
  if (rawHeaders.length > 2 * headersMax) {
    return new Problem('headers_too_large', `Send at most ${headersMax} headers.`);
  }
  return null;
}
