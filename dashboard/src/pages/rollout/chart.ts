/** Shares as paths in a square of 100 by 100, the present at its right. Nothing where nobody called. */

type Shares = readonly (number | null)[];

const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** The least round share that all of them are below. */
export function topOf(shares: Shares): number {
  const most = Math.max(...shares.map((share) => share ?? 0));
  return steps.find((step) => step >= most * 1.05) ?? 1;
}

export function lineOf(shares: Shares, top: number): string {
  let isOn = false;
  const parts = shares.map((share, at) => {
    if (share === null) {
      isOn = false;
      return '';
    }
    const part = `${isOn ? 'L' : 'M'}${placeOf(shares, at, share, top)}`;
    isOn = true;
    return part;
  });
  return parts.join('');
}

/** A line of no length with a round end is a dot, however the square is stretched. */
export function dotsOf(shares: Shares, top: number): string {
  return shares
    .map((share, at) => (share === null ? '' : `M${placeOf(shares, at, share, top)}h0`))
    .join('');
}

function placeOf({ length }: Shares, at: number, share: number, top: number): string {
  const x = length === 1 ? 100 : (at / (length - 1)) * 100;
  return `${round(x)} ${round(100 - (share / top) * 100)}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
