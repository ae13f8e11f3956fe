import type { AlgorithmName } from '../core/algorithms/index.ts';
import { InvalidInput } from '../core/errors.ts';
import { parseName, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { sizeFields } from './limit-fields.ts';
import type { CanonicalLimit } from './wire-limit.ts';
import { parseDecimal, pathOf } from './wire-parse.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A limit whose size is a share of another's: what it says of itself. */
export function parseShareOf(fields: Fields, algorithm: AlgorithmName, field: string): void {
  const path = pathOf(field, 'share_of');
  const share = fields['share_of'];
  requireObject(path, share);
  refuseUnknownFields(path, share as object, ['limit', 'ratio']);
  const { limit, ratio } = share as Fields;
  parseName(pathOf(path, 'limit'), limit);
  parseDecimal(pathOf(path, 'ratio'), ratio, 1);
  const size = sizeFields[algorithm];
  if (fields[size] === undefined) return;
  throw new InvalidInput(path, `stands for ${size}: give one of the two, not both`);
}

/** Which of its own list each limit is a share of; each must be there, with numbers of its own. */
export function requireShares(limits: readonly CanonicalLimit[], field: string): void {
  for (const [at, limit] of limits.entries()) {
    if (!limit.share_of) continue;
    const path = `${field}[${at}].share_of`;
    const base = limits.find(({ name }) => name === limit.share_of?.limit);
    if (!base || base === limit) {
      const others = limits.filter((one) => !one.share_of).map(({ name }) => name);
      const known = others.length === 0 ? 'there is no other' : `there are ${others.join(', ')}`;
      throw new InvalidInput(`${path}.limit`, `names no other limit here; ${known}`);
    }
    if (base.share_of) {
      throw new InvalidInput(`${path}.limit`, `${base.name} is a share itself; name its own limit`);
    }
    if (needsRate(limit) && base.algorithm !== 'token_bucket') {
      throw new InvalidInput(
        `${field}[${at}].refill_rate_per_sec`,
        `is required, for ${base.name} is a ${base.algorithm} and has no rate to share`,
      );
    }
  }
}

/** The limit with numbers: its share of the other one, rounded down, at least 1. */
export function resolveShare(limit: CanonicalLimit, base: CanonicalLimit): CanonicalLimit {
  if (!limit.share_of) return limit;
  const { share_of: share, ...rest } = limit;
  const millionths = Math.round(share.ratio * 1e6);
  const size = (base as Fields)[sizeFields[base.algorithm]] as number;
  const shared: Record<string, unknown> = {
    ...rest,
    [sizeFields[limit.algorithm]]: Math.max(1, floorShare(size, millionths)),
  };
  if (needsRate(limit)) {
    const rate = (base as Fields)['refill_rate_per_sec'] as number;
    shared['refill_rate_per_sec'] = Math.max(1, floorShare(rate * 1e6, millionths)) / 1e6;
  }
  return shared as CanonicalLimit;
}

/** Any numbers will do to find out whether the rest is right. */
export function standIn(limit: CanonicalLimit): CanonicalLimit {
  if (!limit.share_of) return limit;
  const numbers: Record<string, unknown> = { [sizeFields[limit.algorithm]]: 1 };
  if (needsRate(limit)) numbers['refill_rate_per_sec'] = 1;
  return { ...limit, ...numbers };
}

function needsRate(limit: CanonicalLimit): boolean {
  return limit.algorithm === 'token_bucket' && limit.refill_rate_per_sec === undefined;
}

/** Whole numbers all along: 0.1 × 30 must be 3. */
function floorShare(whole: number, millionths: number): number {
  return Number((BigInt(Math.round(whole)) * BigInt(millionths)) / 1_000_000n);
}
