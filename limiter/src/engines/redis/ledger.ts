import type { LedgerCount, LedgerTaken } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { wholeIn } from './decode.ts';

/** `a` and `w` are `decide.lua`'s. */
const outcomes = {
  a: 'allowed',
  w: 'warned',
  b: 'blocked',
  d: 'degraded',
  x: 'would_block',
} as const;
const letters = {
  allowed: 'a',
  warned: 'w',
  blocked: 'b',
  degraded: 'd',
  would_block: 'x',
} as const;

/** Field and count in turn, as `record.lua` reads them. */
export function ledgerFields(counts: readonly LedgerCount[]): string[] {
  return counts.flatMap(({ minute, outcome, label, count }) => [
    `${minute}:${letters[outcome]}:${label}`,
    String(count),
  ]);
}

/** A number, or field and count in turn, as `take_ledger.lua` returns them. */
export function parseTaken(reply: unknown, batch: number): LedgerTaken {
  if (Array.isArray(reply)) return { kind: 'taken', counts: parseLedger(reply) };
  const last = wholeIn(reply);
  if (last < batch) throw new StoreFailure('malformed reply');
  return { kind: 'dropped', last };
}

function parseLedger(reply: readonly unknown[]): LedgerCount[] {
  const counts: LedgerCount[] = [];
  for (let at = 0; at < reply.length; at += 2) {
    const match = /^(\d+):([awbdx]):(.*)$/s.exec(String(reply[at]));
    if (!match) throw new StoreFailure('malformed reply');
    counts.push({
      minute: Number(match[1]),
      outcome: outcomes[match[2] as keyof typeof outcomes],
      label: match[3] as string,
      count: wholeIn(reply[at + 1]),
    });
  }
  return counts;
}
