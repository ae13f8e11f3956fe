/**
 * How large a campaign is. Without `FAULT_SCALE` it is its short form, for every day; with it the
 * long one, times that number.
 */
export const scale =
  process.env['FAULT_SCALE'] === undefined ? null : Number(process.env['FAULT_SCALE']);

if (scale !== null && !(scale > 0 && scale <= 10)) {
  throw new Error('FAULT_SCALE is a number above 0, at most 10: 1 is the full size.');
}

export const isLong = scale !== null;

/** A number of calls, rounds or milliseconds: never below its short form. */
export function sized({ short, long }: { readonly short: number; readonly long: number }): number {
  return scale === null ? short : Math.max(short, Math.round(long * scale));
}
