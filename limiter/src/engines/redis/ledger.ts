import type { LedgerCount } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { wholeIn } from './decode.ts';

const outcomes = { a: 'allowed', w: 'warned', b: 'blocked' } as const;
const letters = { allowed: 'a', warned: 'w', blocked: 'b' } as const;

/** Field and count in turn, as `record.lua` reads them. */
export function ledgerFields(counts: readonly LedgerCount[]): string[] {
  return counts.flatMap(({ minute, outcome, label, count }) => [
    `${minute}:${letters[outcome]}:${label}`,
    String(count),
  ]);
}

/** Field and count in turn, as `take_ledger.lua` returns them. */
export function parseLedger(reply: unknown): LedgerCount[] {
  if (!Array.isArray(reply)) throw new StoreFailure('malformed reply');
  const counts: LedgerCount[] = [];
  for (let at = 0; at < reply.length; at += 2) {
    const match = /^(\d+):([awb]):(.*)$/s.exec(String(reply[at]));
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
