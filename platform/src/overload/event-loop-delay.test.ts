import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLoopDelay } from './event-loop-delay.ts';

let nowMs = 0;
let busy = 1;
let told: number[] = [];
let delay: EventLoopDelay;

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  told = [];
  busy = 1;
  delay = new EventLoopDelay({
    onDelay: (ms) => told.push(ms),
    nowMs: () => nowMs,
    busyPart: () => busy,
  });
  delay.start();
});

afterEach(() => {
  delay.stop();
  vi.useRealTimers();
});

/** The next sample comes when it is due, and so much later. */
function sample(lateMs: number): void {
  nowMs += 10 + lateMs;
  vi.advanceTimersByTime(10);
}

describe('the delay that is told', () => {
  it('is none where the loop is in time', () => {
    for (let at = 0; at < 20; at += 1) sample(0);
    expect(told).toEqual([0, 0]);
  });

  it('is the least of an interval: one long task is no queue', () => {
    sample(500);
    expect(told).toEqual([]);
    sample(1);
    expect(told).toEqual([1]);
  });

  it('is what all of an interval are late by', () => {
    for (const lateMs of [60, 45, 50, 80, 41, 70]) sample(lateMs);
    expect(told).toEqual([45, 50, 41]);
  });

  it('is none where the loop rests: not its work makes it late', () => {
    busy = 0.89;
    for (const lateMs of [60, 45, 50, 80]) sample(lateMs);
    expect(told).toEqual([0, 0]);
  });
});

it('is not told after the end', () => {
  delay.stop();
  for (let at = 0; at < 20; at += 1) sample(100);
  expect(told).toEqual([]);
});
