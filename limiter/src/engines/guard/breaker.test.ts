import { beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type BreakerState } from './breaker.ts';

let nowMs = 0;
let chance = 1;
let changes: BreakerState[] = [];
let breaker: Breaker;

beforeEach(() => {
  nowMs = 1_000_000;
  chance = 1;
  changes = [];
  breaker = new Breaker({
    nowMs: () => nowMs,
    random: () => chance,
    onChange: (state) => changes.push(state),
  });
});

const timeOut = () => fail(true);

function fail(isTimeout = false): void {
  const pass = breaker.admit();
  if (pass) breaker.failed(pass, { isTimeout });
}

function succeed(): void {
  const pass = breaker.admit();
  if (pass) breaker.succeeded(pass);
}

function times(count: number, act: () => void): void {
  for (let time = 0; time < count; time += 1) act();
}

function open(): void {
  times(5, timeOut);
}

describe('a store that is well', () => {
  it('is asked, whatever happens now and then', () => {
    times(1000, () => {
      times(3, timeOut);
      times(7, succeed);
      nowMs += 10;
    });
    expect(changes).toEqual([]);
    expect(breaker.admit()).toBe('call');
  });

  it('says when it last answered', () => {
    succeed();
    expect(breaker.answeredAtMs).toBe(nowMs);
    nowMs += 5;
    timeOut();
    expect(breaker.answeredAtMs).toBe(nowMs - 5);
  });
});

describe('a store that fails', () => {
  it('is left alone after five that got no answer in a row', () => {
    times(4, timeOut);
    expect(breaker.admit()).toBe('call');
    timeOut();
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBeNull();
  });

  it('is left alone when half of at least twenty fail within a second', () => {
    times(9, () => {
      fail();
      succeed();
    });
    fail();
    expect(breaker.state).toBe('closed');
    fail();
    expect(breaker.state).toBe('open');
  });

  it('is not blamed for what happened a second ago', () => {
    times(19, fail);
    nowMs += 1000;
    times(19, fail);
    expect(breaker.state).toBe('closed');
  });

  it('is not left alone for longer by calls that were sent before', () => {
    const before = breaker.admit();
    open();
    nowMs += 250;
    if (before) breaker.failed(before, { isTimeout: true });
    if (before) breaker.succeeded(before);
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBe('probe');
  });
});

describe('one that was left alone', () => {
  it('is tried by one call, no sooner than after its wait', () => {
    open();
    nowMs += 249;
    expect(breaker.admit()).toBeNull();
    nowMs += 1;
    expect(breaker.admit()).toBe('probe');
    expect(breaker.admit()).toBeNull();
  });

  it('waits twice as long each time that fails, five seconds at the most', () => {
    open();
    for (const waitMs of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
      nowMs += waitMs - 1;
      expect(breaker.admit()).toBeNull();
      nowMs += 1;
      timeOut();
    }
    expect(changes).toEqual(['open']);
  });

  it('waits for any part of that, by chance', () => {
    chance = 0.1;
    open();
    nowMs += 24;
    expect(breaker.admit()).toBeNull();
    nowMs += 1;
    expect(breaker.admit()).toBe('probe');
  });

  it('is asked by a tenth at first when it answers, and by all after a second', () => {
    open();
    nowMs += 250;
    succeed();
    expect(breaker.state).toBe('ramp');
    const admitted = (share: number) => {
      chance = share;
      return breaker.admit() !== null;
    };
    expect([admitted(0.09), admitted(0.11)]).toEqual([true, false]);
    nowMs += 500;
    expect([admitted(0.54), admitted(0.56)]).toEqual([true, false]);
    nowMs += 500;
    expect(admitted(1)).toBe(true);
    expect(changes).toEqual(['open', 'ramp', 'closed']);
  });

  it('is left alone again, and longer, when it fails while it is asked more', () => {
    open();
    nowMs += 250;
    succeed();
    nowMs += 999;
    chance = 0;
    times(4, timeOut);
    chance = 1;
    const pass = 'call';
    breaker.failed(pass, { isTimeout: true });
    expect(breaker.state).toBe('open');
    nowMs += 499;
    expect(breaker.admit()).toBeNull();
    nowMs += 1;
    expect(breaker.admit()).toBe('probe');
  });

  it('begins with short waits again after ten calm seconds', () => {
    open();
    nowMs += 250;
    succeed();
    nowMs += 1000;
    succeed();
    nowMs += 10_000;
    open();
    nowMs += 250;
    expect(breaker.admit()).toBe('probe');
  });
});
