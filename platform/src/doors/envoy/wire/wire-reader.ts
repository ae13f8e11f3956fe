import { isUtf8 } from 'node:buffer';
import { RlsRefusal } from '../../../rls/ask.ts';

/** Kinds of fields, as the last three bits of a tag name them. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const varintBytesMax = 10;
const replacement = '\ufffd';

/**
 * Reads protobuf where it lies. A message inside another is the same bytes with a nearer end, so
 * nothing is copied and nothing made but the texts that are asked for.
 */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** Where the message that is being read ends. */
  #end: number;
  #tag = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** Steps to the next field of this message; false at its end. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    this.#tag = this.varint();
    if (this.#tag < 8 || this.#tag > 0xffff_ffff) throw malformed();
    return true;
  }

  /** Number and kind of the field at hand, as they stand on the wire. */
  get tag(): number {
    return this.#tag;
  }

  /** Exact below 2^53; what is larger is about right. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < varintBytesMax; count += 1) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
      if (byte === undefined) throw malformed();
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw malformed();
  }

  text(lengthMax: number, what: string): string {
    const length = this.#length();
    if (length > lengthMax) {
      throw new RlsRefusal('invalid', `${what} must be at most ${lengthMax} bytes`);
    }
    const start = this.#at;
    this.#at += length;
    const text = this.#bytes.toString('utf8', start, this.#at);
    // Bytes that are no text would all read the same, and be counted as one.
    if (text.includes(replacement) && !isUtf8(this.#bytes.subarray(start, this.#at))) {
      throw new RlsRefusal('invalid', `${what} must be UTF-8`);
    }
    return text;
  }

  /** Goes into the message at hand; what is returned leads out of it again. */
  enter(): number {
    const length = this.#length();
    const outerEnd = this.#end;
    this.#end = this.#at + length;
    return outerEnd;
  }

  leave(outerEnd: number): void {
    this.#end = outerEnd;
  }

  /** A field that we do not know, such as a newer gateway sends. */
  skip(): void {
    switch (this.#tag & 7) {
      case wireType.varint:
        this.varint();
        break;
      case wireType.fixed64:
        this.#step(8);
        break;
      case wireType.bytes:
        this.#step(this.#length());
        break;
      case wireType.fixed32:
        this.#step(4);
        break;
      default:
        throw malformed();
    }
  }

  #length(): number {
    const length = this.varint();
    if (length > this.#end - this.#at) throw malformed();
    return length;
  }

  #step(length: number): void {
    if (length > this.#end - this.#at) throw malformed();
    this.#at += length;
  }
}

function malformed(): RlsRefusal {
  return new RlsRefusal('invalid', 'the message is not well-formed protobuf');
}
