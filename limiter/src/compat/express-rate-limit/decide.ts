import type { NextFunction, Request, Response } from 'express';
import type { BoundLimit } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { nodeResponse } from '../../middleware/core/index.ts';
import { keyText } from '../counting/key-text.ts';
import { take, type Seen, type Windows } from '../counting/windows.ts';
import { setDraftHeaders, setLegacyHeaders } from './headers.ts';
import type { RateLimitInfo, ResolvedOptions, ValueFrom } from './options.ts';
import { parseSize } from './resolve-options.ts';

type Call = {
  readonly req: Request;
  readonly res: Response;
  readonly next: NextFunction;
  readonly options: ResolvedOptions;
  readonly windows: Windows;
};

type Counted = {
  readonly allowed: boolean;
  readonly seen: Pick<Seen, 'used' | 'nowUs' | 'resetAtUs'>;
  /** What was charged, and under which id; null where nothing was. */
  readonly charge: { readonly id: string; readonly bound: BoundLimit } | null;
};

/** Whether the request goes on; else it was answered. */
export async function passes(call: Call): Promise<boolean> {
  const { req, res, next, options } = call;
  if (await options.skip(req, res)) return true;
  const key = await options.keyGenerator(req, res);
  const limit = parseSize(await valueOf(options.limit, call));
  const counted = await count(call, keyText('keyGenerator', key), limit);
  if (!counted) return true;
  const { allowed, seen } = counted;
  // A refused call charges nothing: it is seen once, by itself.
  const used = allowed ? seen.used : seen.used + 1;
  const remaining = Math.max(limit - used, 0);
  const info = { limit, used, remaining, resetTime: timeOf(seen), key };
  Object.defineProperty(info, 'current', { value: used });
  (req as unknown as Record<string, unknown>)[options.requestPropertyName] = info;
  await tell(call, info, counted);
  if (!allowed) await options.handler(req, res, next, options);
  else giveBackWhenEnded(call, counted);
  return allowed;
}

/** Null: the store failed, and the call goes on uncounted, as was declared. */
async function count(call: Call, key: string, limit: number): Promise<Counted | null> {
  const { options, windows } = call;
  try {
    if (limit === 0) {
      const seen = await windows.inspect(windows.of(key, 1));
      return { allowed: false, seen, charge: null };
    }
    const bound = windows.of(key, limit, 1);
    const { id, allowed, seen } = await take(windows.store, [bound]);
    return { allowed, seen: seen[0] as Seen, charge: { id, bound } };
  } catch (error) {
    if (!options.passOnStoreError || !(error instanceof StoreFailure)) throw error;
    options.logger.error(error, 'the store failed: the request goes on without a limit');
    return null;
  }
}

async function tell(call: Call, info: RateLimitInfo, { allowed, seen }: Counted): Promise<void> {
  const { res, options } = call;
  const { legacyHeaders, standardHeaders: draft, windowMs } = options;
  const resetSeconds = Math.ceil((seen.resetAtUs - seen.nowUs) / 1_000_000);
  const name = draft === 'draft-8' ? await valueOf(options.identifier, call) : '';
  const retryAfter = allowed ? undefined : await valueOf(options.retryAfter, call);
  if (res.headersSent || (!legacyHeaders && !draft)) return;
  if (legacyHeaders) setLegacyHeaders(res, info);
  const windowSeconds = Math.ceil(windowMs / 1000);
  if (draft) setDraftHeaders(res, draft, info, { resetSeconds, windowSeconds, name });
  if (!allowed) res.setHeader('Retry-After', String(retryAfter ?? resetSeconds));
}

/** Once it is known how the response ended, where that decides whether the call counts. */
function giveBackWhenEnded({ req, res, options, windows }: Call, { seen, charge }: Counted): void {
  const { skipFailedRequests, skipSuccessfulRequests, requestWasSuccessful } = options;
  if (!charge || (!skipFailedRequests && !skipSuccessfulRequests)) return;
  const end = async (completed: boolean): Promise<void> => {
    // Nobody knows what would have become of an answer that nobody waited for: it has failed.
    const isSuccess = completed && (await requestWasSuccessful(req, res));
    const isSkipped = isSuccess ? skipSuccessfulRequests : skipFailedRequests;
    if (isSkipped) await windows.giveBack(charge.bound, { id: charge.id, atUs: seen.nowUs });
  };
  nodeResponse(res).onEnd(({ completed }) => {
    end(completed).catch((error: unknown) =>
      options.logger.error(error, 'a call that should not count could not be given back'),
    );
  });
}

async function valueOf<T>(from: ValueFrom<T>, { req, res }: Call): Promise<T> {
  if (typeof from !== 'function') return from;
  return (from as (req: Request, res: Response) => T | Promise<T>)(req, res);
}

export function timeOf({ resetAtUs }: Pick<Seen, 'resetAtUs'>): Date {
  return new Date(Math.ceil(resetAtUs / 1000));
}
