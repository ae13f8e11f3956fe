import { StoreFailure } from '../../core/errors.ts';
import type { Reply } from './decode.ts';

const wordSize = 2 ** 32;

/**
 * Walks a reply that its script packed into one text (MessagePack): Redis spells none of its numbers,
 * and the client makes no list of them. Trusts nothing in it to be there.
 */
export class PackedReply implements Reply {
  readonly #bytes: Buffer;
  #at = 0;
  /** Values that are still to be read. */
  #left: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const first = this.#take(1);
    if (first >= 0x90 && first <= 0x9f) this.#left = first - 0x90;
    else if (first === 0xdc) this.#left = this.#take(2);
    else if (first === 0xdd) this.#left = this.#take(4);
    else throw new StoreFailure('malformed reply');
  }

  number(): number {
    this.#left -= 1;
    const first = this.#take(1);
    if (first <= 0x7f) return first;
    if (first >= 0xe0) return first - 0x100;
    switch (first) {
      case 0xcc:
        return this.#take(1);
      case 0xcd:
        return this.#take(2);
      case 0xce:
        return this.#take(4);
      case 0xcf:
        return safe(this.#take(4) * wordSize + this.#take(4));
      case 0xd0:
        return (this.#take(1) << 24) >> 24;
      case 0xd1:
        return (this.#take(2) << 16) >> 16;
      case 0xd2:
        return this.#take(4) | 0;
      case 0xd3:
        return safe((this.#take(4) | 0) * wordSize + this.#take(4));
      default:
        throw new StoreFailure('malformed reply');
    }
  }

  text(): string {
    this.#left -= 1;
    const length = this.#textLength();
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new StoreFailure('malformed reply');
    return this.#bytes.toString('utf8', from, this.#at);
  }

  skip(count: number): void {
    for (let skipped = 0; skipped < count; skipped += 1) this.number();
  }

  rest(): number[] {
    const numbers: number[] = [];
    while (this.#left > 0) numbers.push(this.number());
    return numbers;
  }

  end(): void {
    if (this.#left !== 0 || this.#at !== this.#bytes.length) {
      throw new StoreFailure('malformed reply');
    }
  }

  #textLength(): number {
    const first = this.#take(1);
    if (first >= 0xa0 && first <= 0xbf) return first - 0xa0;
    if (first === 0xd9) return this.#take(1);
    if (first === 0xda) return this.#take(2);
    if (first === 0xdb) return this.#take(4);
    throw new StoreFailure('malformed reply');
  }

  /** The next bytes as a number without a sign. */
  #take(count: 1 | 2 | 4): number {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + count;
    if (this.#at > bytes.length) throw new StoreFailure('malformed reply');
    if (count === 1) return bytes[at] as number;
    if (count === 2) return bytes.readUInt16BE(at);
    return bytes.readUInt32BE(at);
  }
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new StoreFailure('malformed reply');
  return value;
}
