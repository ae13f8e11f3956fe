import type { RlsDescriptor } from '../ask.ts';
import type { Match } from '../match/match.ts';
import type { Rule } from '../config/rule.ts';

const shapesMax = 10_000;

/**
 * Which rules are charged once the response is known. A gateway does not say so; but it first looks,
 * with hits of 0, and who looks charges afterwards. From the first look on this process counts a
 * rule's charges even where they do not fit: else one that never fits would never count, and nobody
 * would ever be refused. A file may say it of a rule at once.
 */
export class AfterResponse {
  readonly #rules = new WeakSet<Rule>();
  /** Of limits that are sent along, by the keys they come with. */
  readonly #shapes = new Set<string>();

  isSo({ rule }: Match, { limit, entries, hits, isRefund }: RlsDescriptor): boolean {
    if (rule.isAfterResponse) return true;
    const isLook = hits === 0 && !isRefund;
    if (!limit) {
      if (isLook) this.#rules.add(rule);
      return this.#rules.has(rule);
    }
    const shape = JSON.stringify(entries.map(({ key }) => key));
    if (isLook && this.#shapes.size < shapesMax) this.#shapes.add(shape);
    return this.#shapes.has(shape);
  }
}
