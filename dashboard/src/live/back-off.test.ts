import { expect, it } from 'vitest';
import { waitBefore } from './back-off.ts';

it('doubles with each failure, up to half a minute, and is at once after a stream that ended well', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 60].map((failures) => waitBefore(failures, () => 1));
  expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(waitBefore(3, () => 0)).toBe(2000);
});
