import { isDeveloped, lint, warnOf, type LintConfig } from '../../lint/index.ts';
import type { Facts } from './facts.ts';
import type { RateLimitOptions } from './options.ts';

const madeMax = 1000;
const made = new Map<string, number>();
const names = new WeakMap<object, Map<string, string>>();

/** Tells who develops of mistakes: those in the options, and those that requests bring to light. */
export class Linting<Native> {
  readonly #options: RateLimitOptions<Native>;
  readonly #isOn = isDeveloped();

  constructor(options: RateLimitOptions<Native>) {
    this.#options = options;
    if (!this.#isOn) return;
    this.#tell({ madeTimes: madeTimes(options), ...nameOf(options) });
  }

  seen(facts: Facts<Native>): void {
    if (!this.#isOn) return;
    const countsAddress = (this.#options.by ?? { ip: true }).ip === true;
    const frameworkTrustsAll = facts.frameworkTrustsAll?.() === true;
    const forwardedSeen = countsAddress && facts.header('x-forwarded-for') !== undefined;
    if (forwardedSeen || frameworkTrustsAll) this.#tell({ forwardedSeen, frameworkTrustsAll });
  }

  /** A part of the key came as the text of nothing. */
  nothingIn(part: string): void {
    if (this.#isOn) this.#tell({ nothingIn: part });
  }

  #tell(context: Parameters<typeof lint>[1]): void {
    warnOf(lint(this.#options, context));
  }
}

/** How often these were made; limits are data, so their text tells. */
function madeTimes({ limits, plans }: LintConfig): number {
  const text = JSON.stringify([limits, plans]);
  const times = (made.get(text) ?? 0) + 1;
  if (made.size < madeMax || times > 1) made.set(text, times);
  return times;
}

/** Limits of one name in one Redis are one set of counters, also where their numbers differ. */
function nameOf<Native>({ redis, name = 'limiter', limits, plans }: RateLimitOptions<Native>) {
  if (!redis) return {};
  const taken = names.get(redis) ?? new Map<string, string>();
  names.set(redis, taken);
  const text = JSON.stringify([limits, plans]);
  const before = taken.get(name);
  if (before === undefined) taken.set(name, text);
  return before === undefined || before === text ? {} : { nameIsTaken: name };
}
