import { Buffer } from 'node:buffer';
import type { KeptAnswer } from '../core/shield-store.ts';

/** What a handler answered. */
export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** Of one connection or one moment, or a secret of one session: not part of an answer that is kept. */
const leftOut =
  /^(connection|keep-alive|proxy-|transfer-encoding|trailer|upgrade|date|set-cookie|content-length|retry-after|ratelimit|x-ratelimit-)/i;

/** A success as it is kept; null: this is none, or too much. */
export function keepable({ status, headers, body }: Answered, bytesMax: number): KeptAnswer | null {
  if (status < 200 || status > 399 || body.length > bytesMax) return null;
  const kept = Object.entries(headers).filter(([name]) => !leftOut.test(name));
  return {
    status,
    headers: Object.fromEntries(kept),
    body: Buffer.from(body).toString('base64'),
  };
}

/** The answer again, marked as such. */
export function replayOf({ status, headers, body }: KeptAnswer): Answered {
  return {
    status,
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
    body: Buffer.from(body, 'base64'),
  };
}
