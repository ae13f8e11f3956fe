import { describe, expect, it } from 'vitest';
import type { CheckEvent } from './check-event.ts';
import { CheckQueue } from './check-queue.ts';

function queueThatTells() {
  const told: string[] = [];
  const queue = new CheckQueue({ check: ({ subject }) => told.push(subject) });
  const check = (subject: string) => queue.check({ subject } as CheckEvent);
  return { check, told };
}

/** What was decided at once is answered in promises, one after another. */
const answered = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('checks that were answered', () => {
  it('are told of when all of their answers are on the way, in order and once', async () => {
    const { check, told } = queueThatTells();
    check('a');
    await Promise.resolve().then(() => check('b'));
    expect(told).toEqual([]);
    await answered();
    expect(told).toEqual(['a', 'b']);
    check('c');
    await answered();
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('are told of together to who takes them so', async () => {
    const told: (readonly string[])[] = [];
    const queue = new CheckQueue({
      check: () => told.push(['alone']),
      checks: (events, atMs) => {
        told.push(events.map(({ subject }) => subject));
        expect(Math.abs(Date.now() - atMs)).toBeLessThan(60_000);
      },
    });
    for (const subject of ['a', 'b']) queue.check({ subject } as CheckEvent);
    await answered();
    expect(told).toEqual([['a', 'b']]);
  });

  it('wait in bounded numbers', async () => {
    const { check, told } = queueThatTells();
    for (let at = 0; at < 2500; at += 1) check(String(at));
    expect(told.length).toBeGreaterThanOrEqual(1500);
    await answered();
    expect(told.length).toBe(2500);
  });
});
