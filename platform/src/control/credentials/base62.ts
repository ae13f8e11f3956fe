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

/** What a short text of these digits stands for; NaN for any other. */
export function numberIn(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    value = value * 62 + (values[text.charCodeAt(at)] ?? Number.NaN);
  }
  return value;
}

/** By character code. */
const values: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const value = digits.indexOf(String.fromCharCode(code));
  return value === -1 ? Number.NaN : value;
});

/** Whether all of these characters are digits. One look for each: a regular expression guesses which range one is in. */
export function isBase62(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const value = values[text.charCodeAt(at)];
    if (value === undefined || Number.isNaN(value)) return false;
  }
  return true;
}
