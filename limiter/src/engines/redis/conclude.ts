import type { BoundLimit, Reading } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { RedisClient } from './client.ts';
import { readState, ReplyReader } from './decode.ts';
import { penaltySuffix, type Keys } from './keys.ts';
import { penaltyText, type LimitTexts } from './limit-text.ts';
import { run } from './script.ts';
import type { Scripts } from './scripts.ts';

type Shown = { -readonly [K in keyof Reading]: Reading[K] };
type Due = { readonly bound: BoundLimit; readonly shown: Shown };

/** What is left to do with global limits once it is known what became of their checks. */
export class Conclusion {
  readonly chargedAtUs: number;
  readonly backs: Due[] = [];
  readonly strikes: Due[] = [];

  constructor(chargedAtUs: number) {
    this.chargedAtUs = chargedAtUs;
  }

  /** `shown` is what the answer shows of the limit, and is brought up to date. */
  giveBack(bound: BoundLimit, shown: Shown): void {
    this.backs.push({ bound, shown });
  }

  strike(bound: BoundLimit, shown: Shown): void {
    this.strikes.push({ bound, shown });
  }
}

export type Conclude = (conclusion: Conclusion) => Promise<void>;

type Place = {
  readonly client: RedisClient;
  readonly scripts: Scripts;
  readonly keys: Keys;
  readonly texts: LimitTexts;
};

/**
 * In one command, and none when nothing is left. One that fails changes no answer: what was not
 * given back counts on, so that less is let in than could be, and runs out like any other charge.
 */
export function concludeIn({ client, scripts, keys, texts }: Place): Conclude {
  return async ({ chargedAtUs, backs, strikes }) => {
    if (backs.length + strikes.length === 0) return;
    const names: string[] = [];
    const textOf = ({ limit, parts, cost }: BoundLimit, suffix = '') => {
      const key = names.push(keys.global + keys.counter({ limit, parts, cost }) + suffix);
      return texts.of(limit, { key, cost }) + (suffix && penaltyText(limit, key));
    };
    const args = [
      `${chargedAtUs} ${backs.length} ${strikes.length}`,
      ...backs.map(({ bound }) => textOf(bound)),
      ...strikes.map(({ bound }) => textOf(bound, penaltySuffix)),
    ];
    try {
      const reader = new ReplyReader(await run(client, scripts.conclude, names, args));
      for (const { bound, shown } of backs) {
        shown.state = readState(reader, bound.limit.numbers.algorithm);
      }
      for (const { shown } of strikes) shown.blockedUntilUs = reader.number();
      reader.end();
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  };
}
