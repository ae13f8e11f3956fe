import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoreFailure } from '../../core/errors.ts';
import { Deadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

it('gives back what the work gives, and its error', async () => {
  const deadline = new Deadline(50);
  expect(await deadline.run(Promise.resolve('done'))).toBe('done');
  await expect(deadline.run(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('fails work that never ends, at its time and not before', async () => {
  const deadline = new Deadline(50);
  const settled = vi.fn<(error: unknown) => void>();
  deadline.run(never()).catch(settled);
  await vi.advanceTimersByTimeAsync(49);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(settled).toHaveBeenCalledTimes(1);
  expect(settled.mock.calls[0]?.[0]).toBeInstanceOf(StoreFailure);
  expect(settled.mock.calls[0]?.[0]).toMatchObject({ reason: 'timeout' });
});

it('gives each call its own time, with one timer for all of them', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const deadline = new Deadline(50);
  const late: number[] = [];
  for (let call = 0; call < 20; call += 1) {
    deadline.run(never()).catch(() => late.push(call));
  }
  expect(timers).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30);
  deadline.run(never()).catch(() => late.push(20));
  await vi.advanceTimersByTimeAsync(21);
  expect(late).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(28);
  expect(late).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(3);
  expect(late).toHaveLength(21);
});

it('has no timer left when nothing waits, and none that keeps a process alive', async () => {
  const deadline = new Deadline(50);
  await deadline.run(Promise.resolve());
  await vi.advanceTimersByTimeAsync(60);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await new Deadline(50).run(Promise.resolve());
  const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(false);
  clearTimeout(timer);
  vi.restoreAllMocks();
});

it('does not mind what late work does in the end', async () => {
  const deadline = new Deadline(50);
  let giveUp: (error: Error) => void = () => {};
  const work = new Promise<string>((_resolve, reject) => {
    giveUp = reject;
  });
  const run = deadline.run(work);
  const settled = vi.fn<(error: unknown) => void>();
  run.catch(settled);
  await vi.advanceTimersByTimeAsync(51);
  expect(settled).toHaveBeenCalledTimes(1);
  giveUp(new Error('much too late'));
  await vi.advanceTimersByTimeAsync(51);
  expect(settled).toHaveBeenCalledTimes(1);
  expect(settled.mock.calls[0]?.[0]).toBeInstanceOf(StoreFailure);
});

it('tells each call its own end, in whatever order they end, and of those that do not that they are late', async () => {
  const deadline = new Deadline(50);
  const ends: ((value: number) => void)[] = [];
  const told: string[] = [];
  const calls = 5000;
  for (let call = 0; call < calls; call += 1) {
    const work = new Promise<number>((resolve) => ends.push(resolve));
    const tell = (outcome: string) => void (told[call] = (told[call] ?? '') + outcome);
    deadline.run(work).then(
      (value) => tell(`${value}`),
      () => tell('late'),
    );
  }
  // From the last to the first, so that all but the first are ended before those ahead of them.
  for (let call = calls - 1; call >= 0; call -= 1) if (call % 3 !== 0) ends[call]?.(call);
  await vi.advanceTimersByTimeAsync(49);
  expect(told.filter(Boolean)).toHaveLength(calls - Math.ceil(calls / 3));
  await vi.advanceTimersByTimeAsync(2);
  expect(told).toEqual(
    Array.from({ length: calls }, (_, call) => (call % 3 === 0 ? 'late' : `${call}`)),
  );
  for (const end of ends) end(-1);
  await vi.advanceTimersByTimeAsync(100);
  expect(told[0]).toBe('late');
  expect(await deadline.run(Promise.resolve('next'))).toBe('next');
  await vi.advanceTimersByTimeAsync(60);
  expect(vi.getTimerCount()).toBe(0);
});
