/** A value with `*` in it: each stands for any number of characters, none included. */
export class Wildcard {
  readonly text: string;
  readonly #first: string;
  readonly #middle: readonly string[];
  readonly #last: string;

  constructor(text: string) {
    this.text = text;
    const parts = text.split('*');
    this.#first = parts[0] as string;
    this.#last = parts.at(-1) as string;
    this.#middle = parts.slice(1, -1);
  }

  static isIn(value: string): boolean {
    return value.includes('*');
  }

  /** In one pass: what stands between stars is looked for from the left, each after the one before. */
  matches(value: string): boolean {
    const first = this.#first;
    const last = this.#last;
    if (value.length < first.length + last.length) return false;
    if (!value.startsWith(first) || !value.endsWith(last)) return false;
    const end = value.length - last.length;
    let at = first.length;
    for (const part of this.#middle) {
      const found = value.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  }
}
