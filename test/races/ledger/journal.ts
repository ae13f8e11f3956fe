import { closeSync, openSync, writeSync } from 'node:fs';
import type { Reserve } from '../../../limiter/src/core/engine.ts';

export type UnitCosts = Readonly<Record<string, number>>;

export type Asked = {
  readonly id: string;
  readonly subject: number;
  /** Which of the limits are asked. */
  readonly limits: readonly number[];
  readonly costs: { readonly requests: number; readonly tokens: number };
  readonly key: string | null;
  readonly reserve: Reserve | null;
  readonly refundable: boolean;
};

/** What a caller is about to do. */
export type Attempt =
  | { readonly kind: 'ask'; readonly asked: Asked }
  /** Another question under the key of one that was charged. */
  | { readonly kind: 'clash'; readonly asked: Asked }
  | { readonly kind: 'settle'; readonly id: string; readonly costs: UnitCosts }
  | {
      readonly kind: 'refund';
      readonly asked: Asked;
      readonly by: 'id' | 'caller';
      readonly chargedAtUs: number;
      readonly costs: UnitCosts;
    }
  | { readonly kind: 'beat'; readonly id: string; readonly ttlMs: number | null };

/** What came of it. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly allowed: boolean;
      /** Whose charge this is: of the question itself, or of the one that it repeats. */
      readonly id: string;
      readonly atUs: number;
      /** False when a repeated question was told something else than the first. */
      readonly alike: boolean;
    }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'settled' | 'repeated'; readonly late: boolean; readonly costs: UnitCosts }
  | { readonly kind: 'refunded' | 'refunded before' | 'unknown' | 'held' | 'gone' };

/** A step has a line when it begins and one when it is done: who dies in between leaves the first. */
export type Line =
  | { readonly step: number; readonly attempt: Attempt }
  | { readonly step: number; readonly outcome: Outcome };

export type Journal = { write(line: Line): void; close(): void };

/** Outlives the process that writes it, line by line, however that ends. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'a');
  return {
    write: (line) => {
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
}

/** The last line may have been cut short: then it was not yet written when its process died. */
export function linesIn(text: string): Line[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
