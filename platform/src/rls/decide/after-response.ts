import type { RlsDescriptor } from '../ask.ts';
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
  /** What no file has a rule for, by the keys it comes with. */
  readonly #shapes = new Set<string>();

  /** Under a rule of a file, or of this owner. */
  isSo(of: Rule | string, { entries, hits, isRefund }: RlsDescriptor): boolean {
    const isLook = hits === 0 && !isRefund;
    if (typeof of !== 'string') {
      if (isLook) this.#rules.add(of);
      return of.isAfterResponse || this.#rules.has(of);
    }
    const shape = JSON.stringify([of, ...entries.map(({ key }) => key)]);
    if (isLook && this.#shapes.size < shapesMax) this.#shapes.add(shape);
    return this.#shapes.has(shape);
  }
}
