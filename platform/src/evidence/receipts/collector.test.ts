import { createLimiter } from 'sluice';
import type { Decision } from 'sluice/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckEvent } from '../../observe/index.ts';
import {
  allowed,
  blocked,
  decisionOf,
  eventOf,
  storeFailed,
  windowOf,
  wouldBlock,
} from '../../observe/test-events.ts';
import { ReceiptCollector } from './collector.ts';

const startMs = Date.UTC(2026, 10, 16, 12);
let nowMs = startMs;
let dropped = 0;
let collector: ReceiptCollector;

function open(sample = 0): ReceiptCollector {
  return new ReceiptCollector({
    sample,
    onDropped: (count) => (dropped += count),
    nowMs: () => nowMs,
  });
}

beforeEach(() => {
  nowMs = startMs;
  dropped = 0;
  collector = open();
});

const takeAll = () => collector.take(10_000, { all: true });
const tell = (decision: Decision, more: Partial<CheckEvent> = {}) =>
  collector.check(eventOf(decision, more));

/** As many refusals of as many subjects. */
function flood(tenant: string, count: number): void {
  const refusal = blocked();
  for (let at = 0; at < count; at += 1) tell(refusal, { tenant, subject: `s${at}` });
}

describe('a flood', () => {
  it('is one receipt for a subject, a limit and a second, with the rest counted on it', () => {
    for (let call = 0; call < 100; call += 1) {
      nowMs = startMs + call;
      tell(blocked());
    }
    nowMs = startMs + 1000;
    tell(blocked());
    const taken = takeAll();
    expect(taken.map(({ atMs, repeats, lastAtMs }) => [atMs, repeats, lastAtMs])).toEqual([
      [startMs, 99, startMs + 99],
      [startMs + 1000, 0, startMs + 1000],
    ]);
    expect(dropped).toBe(0);
  });

  it('tells subjects, tenants, limits and outcomes apart', () => {
    const other = decisionOf([windowOf('other', 1)], 2);
    const events: [Decision, Partial<CheckEvent>][] = [
      [blocked(), {}],
      [blocked(), { subject: 'bob' }],
      [blocked(), { tenant: 't2' }],
      [other, {}],
      [wouldBlock('warn'), {}],
      [wouldBlock('shadow'), {}],
      [storeFailed('open'), {}],
      [storeFailed('closed'), {}],
    ];
    for (const [decision, more] of [...events, ...events]) tell(decision, more);
    const taken = takeAll();
    expect(taken.map(({ repeats }) => repeats)).toEqual(events.map(() => 1));
    expect(taken.map(({ outcome }) => outcome)).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'blocked',
      'warned',
      'shadowed',
      'degraded',
      'blocked',
    ]);
  });

  it('of one tenant takes its own room, and leaves the others theirs', () => {
    flood('noisy', 3000);
    expect(dropped).toBe(2500);
    tell(blocked(), { tenant: 'quiet' });
    // Those that have their receipt are still counted on it.
    flood('noisy', 500);
    expect(dropped).toBe(2500);
    const taken = takeAll();
    expect(taken).toHaveLength(501);
    expect(taken.at(-1)?.event.tenant).toBe('quiet');
  });

  it('that goes on gets fewer, until it has been quiet for a while', () => {
    const kept = () => {
      const taken = takeAll();
      collector.done(taken);
      return taken.length;
    };
    const inSecond = () => {
      nowMs += 1000;
      flood('noisy', 1000);
      return kept();
    };
    expect([inSecond(), inSecond(), inSecond()]).toEqual([500, 10, 10]);
    nowMs += 3000;
    expect(inSecond()).toBe(40);
    nowMs += 60_000;
    expect(inSecond()).toBe(500);
  });

  it('of many tenants leaves room for those that are quiet', () => {
    for (let at = 0; at < 10; at += 1) flood(`noisy${at}`, 600);
    for (let at = 0; at < 30; at += 1) flood(`quiet${at}`, 3);
    const taken = takeAll();
    expect(taken.length).toBeLessThanOrEqual(2000);
    const quiet = taken.filter(({ event }) => event.tenant.startsWith('quiet'));
    expect(quiet).toHaveLength(90);
    expect(taken.length + dropped).toBe(10 * 600 + 30 * 3);
  });

  it('of large checks is bounded by how large they are', () => {
    const limiter = createLimiter({ limits: [windowOf('all', 1)] });
    for (let at = 0; at < 200; at += 1) {
      const texts = Array.from({ length: 32 }, (_, one) => [`a${one}`, 'z'.repeat(1000)]);
      const subject = `s${at}`;
      const check = { resource: 'r', subject, attributes: Object.fromEntries(texts) };
      limiter.checkSync(check);
      tell(limiter.checkSync(check), { subject });
    }
    const taken = takeAll();
    expect(taken.length).toBeGreaterThan(20);
    expect(taken.length).toBeLessThan(70);
    expect(taken.length + dropped).toBe(200);
  });
});

it('what it can not make sense of holds nobody up, and is counted', () => {
  collector.check({ ...eventOf(blocked()), decision: {} as Decision });
  expect([dropped, takeAll()]).toEqual([1, []]);
});

describe('what waits', () => {
  it('is due when its second is over, or when it is the end', () => {
    tell(blocked());
    nowMs = startMs + 999;
    expect(collector.take(10, { all: false })).toEqual([]);
    tell(blocked());
    nowMs = startMs + 1000;
    tell(blocked());
    expect(collector.take(10, { all: false })).toMatchObject([{ atMs: startMs, repeats: 1 }]);
    expect(collector.take(10, { all: false })).toEqual([]);
    expect(collector.take(10, { all: true })).toMatchObject([{ atMs: startMs + 1000 }]);
  });

  it('is due too when the clock was set back', () => {
    tell(blocked());
    nowMs = startMs - 60_000;
    expect(collector.take(10, { all: false })).toHaveLength(1);
  });

  it('keeps its room until it is written, and comes first when it could not be', () => {
    flood('t', 500);
    nowMs += 10_000;
    const taken = collector.take(100, { all: false });
    flood('t', 1);
    expect(dropped).toBe(1);
    collector.giveBack(taken);
    expect(collector.take(100, { all: false })).toEqual(taken);
    collector.done(taken);
    flood('t', 101);
    expect(dropped).toBe(2);
  });

  it('of a subject can be forgotten, and what comes after that is kept', () => {
    tell(blocked(), { subject: 'ann' });
    tell(blocked(), { subject: 'bob' });
    tell(blocked(), { subject: 'ann', tenant: 't2' });
    const [{ tenant }] = [eventOf(blocked())];
    expect(collector.forget(tenant, 'ann')).toBe(1);
    expect(collector.forget(tenant, 'ann')).toBe(0);
    tell(blocked(), { subject: 'ann' });
    const left = takeAll().map(({ event }) => [event.tenant, event.subject]);
    expect(left).toEqual([
      [tenant, 'bob'],
      ['t2', 'ann'],
      [tenant, 'ann'],
    ]);
  });
});

describe('of what was merely allowed', () => {
  const ids = (sample: number, decisions: readonly Decision[]) => {
    collector = open(sample);
    for (const [at, decision] of decisions.entries()) tell(decision, { tenant: `t${at % 100}` });
    return takeAll().map(({ event }) => event.decision.decisionId);
  };

  it('nothing, all, or the same share is kept whoever looks', () => {
    const decisions = Array.from({ length: 2000 }, allowed);
    expect(ids(0, decisions)).toEqual([]);
    expect(ids(1, decisions.slice(0, 500))).toHaveLength(500);
    const tenth = ids(0.1, decisions);
    expect(tenth.length).toBeGreaterThan(100);
    expect(tenth.length).toBeLessThan(300);
    expect(ids(0.1, decisions)).toEqual(tenth);
    expect(ids(0.2, decisions)).toEqual(expect.arrayContaining(tenth));
  });

  it('samples leave half of the room to what was refused', () => {
    collector = open(1);
    const decision = allowed();
    for (let at = 0; at < 1000; at += 1) tell(decision);
    expect(dropped).toBe(750);
    flood(eventOf(decision).tenant, 250);
    expect(dropped).toBe(750);
  });

  it('a repeated answer has the receipt of the first', () => {
    collector = open(1);
    const limiter = createLimiter({ limits: [windowOf('all', 10), windowOf('w', 1, 'warn')] });
    const check = { resource: 'r', subject: 's', idempotencyKey: 'the-first-key' };
    limiter.checkSync({ ...check, idempotencyKey: 'another-key' });
    const [first, again] = [limiter.checkSync(check), limiter.checkSync(check)];
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    tell(first);
    nowMs += 1000;
    tell(again);
    expect(takeAll()).toMatchObject([{ outcome: 'warned', repeats: 0 }]);
  });
});
