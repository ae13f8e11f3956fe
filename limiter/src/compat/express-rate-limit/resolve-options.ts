import type { Request, Response } from 'express';
import { InvalidInput } from '../../core/errors.ts';
import { describe, parseWhole } from '../../core/numbers.ts';
import { oneOf, refuseUnknownFields, requireObject } from '../../core/parse.ts';
import { addressKey } from './address-key.ts';
import { identifierOf } from './headers.ts';
import type { HeadersDraft, Options, RateLimitInfo, ResolvedOptions } from './options.ts';

const windowMsMax = 3_650 * 86_400_000;
const functions = ['requestWasSuccessful', 'keyGenerator', 'skip', 'handler'] as const;
const flags = [
  'legacyHeaders',
  'headers',
  'skipFailedRequests',
  'skipSuccessfulRequests',
  'passOnStoreError',
] as const;
const known: readonly string[] = [
  'windowMs',
  'limit',
  'max',
  'message',
  'statusCode',
  'standardHeaders',
  'identifier',
  'retryAfter',
  'requestPropertyName',
  'ipv6Subnet',
  'validate',
  'logger',
  'redis',
  'secret',
  'deadlineMs',
  'prefix',
  'clock',
  ...functions,
  ...flags,
];

/** What has no counterpart, and what to do about it. */
const refused: Readonly<Record<string, string>> = {
  store:
    'stores of express-rate-limit are not asked; leave it out to count in process, or pass an ioredis client as `redis`',
  draft_polli_ratelimit_headers: 'is gone since version 7; say standardHeaders: "draft-6"',
  onLimitReached: 'is gone since version 7; say it in `handler`',
  delayAfter: slowDown('delayAfter'),
  delayMs: slowDown('delayMs'),
  maxDelayMs: slowDown('maxDelayMs'),
};

function slowDown(name: string): string {
  return `${name} is of express-slow-down; use a limit with \`backpressure\` and \`delay: "hold"\` of sluice/express`;
}

/** The defaults are those of express-rate-limit. */
export function resolveOptions(given: Options): ResolvedOptions {
  const options = requireKnown(given);
  const { ipv6Subnet = 56, requestPropertyName = 'rateLimit' } = options;
  const windowMs = parseWhole('windowMs', options.windowMs ?? 60_000, { min: 1, max: windowMsMax });
  const infoOf = (req: Request) =>
    (req as unknown as Record<string, RateLimitInfo>)[requestPropertyName] as RateLimitInfo;
  const resolved: ResolvedOptions = {
    message: 'Too many requests, please try again later.',
    skipFailedRequests: false,
    skipSuccessfulRequests: false,
    passOnStoreError: false,
    requestWasSuccessful: (_req, res) => res.statusCode < 400,
    skip: () => false,
    identifier: (req) => identifierOf(infoOf(req).limit, windowMs),
    keyGenerator: (req, res) => addressKey(req, res, ipv6Subnet),
    handler: (req, res) => refuse(req, res, resolved),
    retryAfter: undefined,
    logger: console,
    ...options,
    windowMs,
    ipv6Subnet,
    requestPropertyName,
    limit: options.limit ?? options.max ?? 5,
    statusCode: parseWhole('statusCode', options.statusCode ?? 429, { min: 100, max: 599 }),
    legacyHeaders: options.legacyHeaders ?? options.headers ?? true,
    standardHeaders: draftOf(options.standardHeaders ?? false),
  };
  return resolved;
}

function requireKnown(given: Options): Options {
  requireObject('options', given);
  const options: Options = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  for (const [name, problem] of Object.entries(refused)) {
    if (Object.hasOwn(options, name)) throw new InvalidInput(name, problem);
  }
  refuseUnknownFields('', options, known);
  for (const name of functions) requireType(name, options[name], 'function');
  for (const name of flags) requireType(name, options[name], 'boolean');
  requireType('requestPropertyName', options.requestPropertyName, 'string');
  const { limit = options.max } = options;
  if (typeof limit !== 'function' && limit !== undefined) parseSize(limit);
  return options;
}

function requireType(field: string, value: unknown, type: 'function' | 'boolean' | 'string'): void {
  if (value === undefined || typeof value === type) return;
  throw new InvalidInput(field, `must be a ${type}, got ${describe(value)}`);
}

/** How many calls; 0 refuses every one. */
export function parseSize(value: unknown): number {
  if (value === Infinity) {
    throw new InvalidInput('limit', 'must be a number; whom nothing limits is for `skip`');
  }
  return parseWhole('limit', value, { min: 0, max: 2 ** 50 });
}

function draftOf(value: boolean | HeadersDraft): false | HeadersDraft {
  if (typeof value === 'boolean') return value && 'draft-6';
  return oneOf<HeadersDraft>('standardHeaders', value, ['draft-6', 'draft-7', 'draft-8']);
}

async function refuse(req: Request, res: Response, options: ResolvedOptions): Promise<void> {
  const { message, statusCode } = options;
  res.status(statusCode);
  const body: unknown = typeof message === 'function' ? await message(req, res) : message;
  if (!res.writableEnded) res.send(body);
}
