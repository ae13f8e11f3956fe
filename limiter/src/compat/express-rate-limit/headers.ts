import { createHash } from 'node:crypto';
import type { Response } from 'express';
import type { HeadersDraft, RateLimitInfo } from './options.ts';

/** How many seconds from now the window ends, and how long it is. */
export type Times = { readonly resetSeconds: number; readonly windowSeconds: number };

export function setLegacyHeaders(res: Response, { limit, remaining, resetTime }: RateLimitInfo) {
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  if (resetTime) res.setHeader('X-RateLimit-Reset', String(Math.ceil(resetTime.getTime() / 1000)));
}

/** As these drafts had them, letter by letter; the current one is what `sluice/headers` speaks. */
export function setDraftHeaders(
  res: Response,
  draft: HeadersDraft,
  info: RateLimitInfo,
  { resetSeconds, windowSeconds, name }: Times & { readonly name: string },
): void {
  const { limit, remaining, key } = info;
  if (draft === 'draft-8') {
    // A second middleware adds its own to the list.
    res.append('RateLimit', `"${name}"; r=${remaining}; t=${resetSeconds}`);
    const policy = `"${name}"; q=${limit}; w=${windowSeconds}; pk=:${partitionOf(key)}:`;
    res.append('RateLimit-Policy', policy);
    return;
  }
  res.setHeader('RateLimit-Policy', `${limit};w=${windowSeconds}`);
  if (draft === 'draft-7') {
    res.setHeader('RateLimit', `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`);
    return;
  }
  res.setHeader('RateLimit-Limit', String(limit));
  res.setHeader('RateLimit-Remaining', String(remaining));
  res.setHeader('RateLimit-Reset', String(resetSeconds));
}

/** Twelve digits of the key's hash, which then are the bytes. */
function partitionOf(key: string): string {
  const digits = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return Buffer.from(digits).toString('base64');
}

const units = [
  { ms: 86_400_000, one: 'day', many: 'days' },
  { ms: 3_600_000, one: 'hr', many: 'hrs' },
  { ms: 60_000, one: 'min', many: 'min' },
  { ms: 1000, one: 'sec', many: 'sec' },
] as const;

/** What a limit without a name is called: `5-in-1min`. */
export function identifierOf(limit: number, windowMs: number): string {
  const { ms, one, many } = units.find(({ ms }) => windowMs >= ms) ?? units[3];
  const count = windowMs / ms;
  return `${limit}-in-${count}${count > 1 ? many : one}`;
}
