import { setImmediate as turnEnds } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CheckEvent } from './check-event.ts';
import { CheckQueue } from './check-queue.ts';

function queueThatTells() {
  const told: string[] = [];
  const queue = new CheckQueue({ check: ({ subject }) => told.push(subject) });
  const check = (subject: string) => queue.check({ subject } as CheckEvent);
  return { check, told };
}

describe('checks that were answered', () => {
  it('are told of when the turn ends, in order and once', async () => {
    const { check, told } = queueThatTells();
    check('a');
    check('b');
    expect(told).toEqual([]);
    await turnEnds();
    expect(told).toEqual(['a', 'b']);
    check('c');
    await turnEnds();
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('wait in bounded numbers', async () => {
    const { check, told } = queueThatTells();
    for (let at = 0; at < 2500; at += 1) check(String(at));
    expect(told.length).toBeGreaterThanOrEqual(1500);
    await turnEnds();
    expect(told.length).toBe(2500);
  });
});
