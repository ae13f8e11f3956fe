import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestDeadline } from './request-deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a gateway's request", () => {
  it.each([
    { deadlineMs: 900, isLongerByMs: 90 },
    { deadlineMs: 15, isLongerByMs: 3 },
  ])(
    'is waited for $isLongerByMs ms longer than a call of $deadlineMs',
    async ({ deadlineMs, isLongerByMs }) => {
      let isOver = false;
      const never = new Promise<void>(() => {});
      requestDeadline({ deadlineMs })
        .run(never)
        .catch(() => (isOver = true));
      await vi.advanceTimersByTimeAsync(deadlineMs + isLongerByMs - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(2);
      expect(isOver).toBe(true);
    },
  );
});
