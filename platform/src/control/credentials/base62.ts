const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A number as base 62, padded: every value of one kind has one length. */
export function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = (digits[Number(rest % 62n)] as string) + text;
    rest /= 62n;
  }
  return text;
}

export function base62OfBytes(bytes: Uint8Array, length: number): string {
  return base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), length);
}
