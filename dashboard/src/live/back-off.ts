const firstMs = 1000;
const longestMs = 30_000;

/** Twice as long each time, up to half a minute; and not all pages at the same moment. */
export function waitBefore(failures: number, random = Math.random): number {
  if (failures === 0) return 0;
  const fullMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return fullMs / 2 + (fullMs / 2) * random();
}
