const startBytes = 4096;
/** A buffer that one large answer made large is not kept for the small ones that follow. */
const keepBytes = 262_144;
const utf8BytesMax = 3;

/**
 * Writes protobuf into a buffer that is used again for the next message. Fields that hold their
 * default are left out, as proto3 has it.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(startBytes);
  #at = 0;

  /** What was written since the last time, as bytes of its own. */
  take(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    if (this.#bytes.length > keepBytes) this.#bytes = Buffer.allocUnsafe(startBytes);
    return written;
  }

  get length(): number {
    return this.#at;
  }

  /** Takes back what was written beyond. */
  rewind(length: number): void {
    this.#at = length;
  }

  /** A whole number from 0 to 2^53. */
  uint(field: number, value: number): void {
    if (value !== 0) this.presentUint(field, value);
  }

  /** The same where 0 says something: in a `oneof`. */
  presentUint(field: number, value: number): void {
    this.#reserve(20);
    this.#varint(field << 3);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#reserve(18);
    this.#varint((field << 3) | 1);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  text(field: number, value: string): void {
    if (value !== '') this.presentText(field, value);
  }

  presentText(field: number, value: string): void {
    const start = this.open(field);
    this.#reserve(value.length * utf8BytesMax);
    this.#at += this.#bytes.write(value, this.#at, 'utf8');
    this.close(start);
  }

  /** Begins a message inside this one; `close` ends it. */
  open(field: number): number {
    this.#reserve(11);
    this.#varint((field << 3) | 2);
    // Nearly always short enough for its length to take one byte.
    this.#at += 1;
    return this.#at;
  }

  close(start: number): void {
    const end = this.#at;
    const length = end - start;
    const further = varintBytes(length) - 1;
    if (further > 0) {
      this.#reserve(further);
      this.#bytes.copyWithin(start + further, start, end);
    }
    this.#at = start - 1;
    this.#varint(length);
    this.#at = end + further;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at] = (rest % 128) + 128;
      this.#at += 1;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at] = rest;
    this.#at += 1;
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + count));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}
