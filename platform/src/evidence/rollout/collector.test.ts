import { createLimiter, type LimitInput } from 'sluice';
import { Decision } from 'sluice/core';
import { describe, expect, it } from 'vitest';
import { collect, collectorWith, decide, eventOf, names, tenantId } from './test-traffic.ts';
import { pointEnd } from './subject-names.ts';

const window = (limit: number, more: Partial<LimitInput> = {}): LimitInput =>
  ({
    algorithm: 'fixed_window',
    name: 'm',
    limit,
    window: '1 h',
    mode: 'shadow',
    ...more,
  }) as never;
const callsOf = (...subjects: string[]) =>
  subjects.map((subject) => ({ subject, cost: 1, afterUs: 1 }));

describe('of limits in shadow and warn', () => {
  it('counts calls, refusals and subjects, by hour and stage', () => {
    const [rows, ...others] = collect(window(2), callsOf('ann', 'ann', 'ann', 'bob'));
    expect(others).toEqual([]);
    expect(rows).toMatchObject({ tenantId, name: 'm', algorithm: 'fixed_window', size: 2 });
    expect(rows?.hours).toMatchObject([
      { stage: 'shadow', calls: 4, wouldRefuse: 1, below: pointEnd, thinned: false },
    ]);
    expect(rows?.hours[0]?.subjects).toMatchObject([
      { subject: 'ann', calls: 3, wouldRefuse: 1, peak: 3, extra: 1, extraMost: 1 },
      { subject: 'bob', calls: 1, wouldRefuse: 0, peak: 1, extra: 0, extraMost: 0 },
    ]);
  });

  it('tells hours apart', () => {
    const calls = callsOf('ann', 'ann').map((call) => ({ ...call, afterUs: 3_600_000_000 }));
    const [rows] = collect(window(2), calls);
    expect(rows?.hours.map(({ calls: count }) => count)).toEqual([1, 1]);
  });

  it('takes what came since the last time, and what grew', () => {
    const { collector } = collectorWith();
    const decisions = decide(window(1), callsOf('ann', 'ann', 'ann'));
    const told = decisions.map((decision) => {
      collector.check(eventOf('ann', decision));
      return collector.take()[0]?.hours[0]?.subjects[0];
    });
    expect(told).toMatchObject([
      { calls: 1, wouldRefuse: 0, peak: 1, extra: 0, extraMost: 0 },
      { calls: 1, wouldRefuse: 1, peak: 2, extra: 1, extraMost: 1 },
      { calls: 1, wouldRefuse: 1, peak: 3, extra: 1, extraMost: 2 },
    ]);
    expect(collector.take()).toEqual([]);
  });

  it('looks at no other limit, and at nothing that was not decided by it', () => {
    const { collector } = collectorWith();
    const [enforced] = decide(window(1, { mode: 'enforce' }), callsOf('ann'));
    const [shadow] = decide(window(1), callsOf('ann'));
    const facts = Decision.factsOf(shadow as Decision);
    const again = { ...facts, answer: { ...facts.answer, replayOf: 'another' } };
    const overflown = { ...facts, basis: 'local' as const, degradedReason: 'overflow' };
    const failed = { ...facts, answer: { ...facts.answer, readings: [] } };
    const peek = createLimiter({ limits: [window(1)] }).checkSync({
      resource: 'x',
      subject: 'ann',
      cost: 0,
    });
    const others = [again, overflown, failed].map((one) => new Decision(one));
    for (const decision of [enforced as Decision, peek, ...others]) {
      collector.check(eventOf('ann', decision));
    }
    expect(collector.take()).toEqual([]);
  });

  it('counts what enforced limits refuse: they watch all traffic', () => {
    const limiter = createLimiter({
      limits: [window(1, { name: 'e', mode: 'enforce' }), window(5)],
    });
    const { collector } = collectorWith();
    for (let call = 0; call < 3; call += 1) {
      collector.check(eventOf('ann', limiter.checkSync({ resource: 'x', subject: 'ann' })));
    }
    expect(collector.take()[0]?.hours[0]).toMatchObject({ calls: 3, wouldRefuse: 0 });
  });
});

describe('with more than it has room for', () => {
  const everybody = Array.from({ length: 20_000 }, (_, at) => `user:${at}`);
  // A tenth of them calls twice where once is allowed.
  const calls = everybody.flatMap((subject, at) =>
    callsOf(...Array(at % 10 === 0 ? 2 : 1).fill(subject)),
  );
  const decisions = decide(window(1), calls);

  it('follows a fair sample of subjects, and counts every call', () => {
    const { collector } = collectorWith({ subjectsMax: 2000 });
    let most = 0;
    calls.forEach(({ subject }, at) => {
      collector.check(eventOf(subject, decisions[at] as Decision));
      most = Math.max(most, collector.followed);
    });
    expect(most).toBeLessThanOrEqual(2000);
    const hour = collector.take()[0]?.hours[0];
    expect(hour).toMatchObject({ calls: 22_000, wouldRefuse: 2000, thinned: true });
    const { below = 0, subjects = [] } = hour ?? {};
    expect(subjects.length).toBeLessThanOrEqual(2000);
    expect(subjects.every(({ point }) => point < below)).toBe(true);
    // Within five standard deviations of what it stands for.
    const estimated = subjects.length / (below / pointEnd);
    expect(Math.abs(estimated - 20_000)).toBeLessThan(5 * Math.sqrt(20_000 * (pointEnd / below)));
    const share = subjects.filter(({ wouldRefuse }) => wouldRefuse > 0).length / subjects.length;
    expect(Math.abs(share - 0.1)).toBeLessThan(5 * Math.sqrt((0.1 * 0.9) / subjects.length));
  });

  it('follows the same ones on every node', () => {
    const [one, other] = [collectorWith({ subjectsMax: 500 }), collectorWith({ subjectsMax: 500 })];
    calls.forEach(({ subject }, at) => {
      one.collector.check(eventOf(subject, decisions[at] as Decision));
    });
    for (let at = calls.length - 1; at >= 0; at -= 1) {
      other.collector.check(eventOf(calls[at]?.subject as string, decisions[at] as Decision));
    }
    const [a, b] = [one, other].map(({ collector }) => collector.take()[0]?.hours[0]);
    const least = Math.min(a?.below ?? 0, b?.below ?? 0);
    const below = (hour: typeof a) =>
      hour?.subjects.filter(({ point }) => point < least).map(({ subject }) => subject);
    expect(new Set(below(a))).toEqual(new Set(below(b)));
    expect(below(a)?.length).toBeGreaterThan(100);
  });

  it('follows fewer of every limit when there are many limits', () => {
    const { collector } = collectorWith({ followedMax: 300 });
    const limits = ['a', 'b', 'c'].map((name) =>
      decide(window(1, { name }), callsOf(...everybody.slice(0, 200))),
    );
    for (const [limit] of limits.entries()) {
      limits[limit]?.forEach((decision, at) => {
        collector.check(eventOf(everybody[at] as string, decision));
      });
    }
    expect(collector.followed).toBeLessThanOrEqual(300);
    const taken = collector.take();
    expect(taken.map(({ hours }) => hours[0]?.calls)).toEqual([200, 200, 200]);
    expect(taken.every(({ hours }) => (hours[0]?.below ?? 0) < pointEnd)).toBe(true);
  });

  it('leaves limits out, and says so', () => {
    const { collector, untracked } = collectorWith({ limitsMax: 1 });
    for (const name of ['a', 'b', 'b']) {
      const [decision] = decide(window(1, { name }), callsOf('ann'));
      collector.check(eventOf('ann', decision as Decision));
    }
    expect(collector.take().map(({ name }) => name)).toEqual(['a']);
    expect(untracked).toEqual(['limit', 'limit']);
  });

  it('follows the refusals of so many counters, the latest, and says so', () => {
    const { collector, untracked } = collectorWith({ countersMax: 1 });
    const asked = callsOf('ann', 'ann', 'bob', 'bob', 'ann', 'bob');
    const made = decide(window(1), asked);
    asked.forEach(({ subject }, at) => collector.check(eventOf(subject, made[at] as Decision)));
    const peaks = collector.take()[0]?.hours[0]?.subjects.map(({ peak }) => peak);
    // Each was forgotten for the other, so that only one refusal of it is known at a time.
    expect(peaks).toEqual([2, 2]);
    expect(untracked).toEqual(['counter', 'counter', 'counter']);
  });

  it('forgets hours that are over, and has room again', () => {
    const { collector, untracked } = collectorWith({ limitsMax: 1 });
    const [early] = decide(window(1, { name: 'a' }), callsOf('ann'));
    const later = [{ subject: 'ann', cost: 1, afterUs: 2 * 3_600_000_000 }];
    const [late] = decide(window(1, { name: 'a' }), later);
    const [other] = decide(window(1, { name: 'b' }), later);
    collector.check(eventOf('ann', early as Decision));
    collector.check(eventOf('ann', late as Decision));
    expect(collector.take()[0]?.hours).toHaveLength(2);
    expect(collector.followed).toBe(1);
    collector.check(eventOf('ann', other as Decision));
    expect(untracked).toEqual(['limit']);
  });
});

it('keeps what a database can keep, and tells subjects apart that it can not', () => {
  const long = (end: string) => `${'é'.repeat(1000)}${end}`;
  const subjects = ['a\u0000b', '\ud800', long('1'), long('2'), 'x'.repeat(1024)];
  const kept = new Set(subjects.map((subject) => names.stored(subject)));
  expect(kept.size).toBe(5);
  for (const subject of kept) {
    expect(subject.isWellFormed()).toBe(true);
    expect(subject).not.toContain('\u0000');
    expect(Buffer.byteLength(subject)).toBeLessThanOrEqual(1024);
  }
});

it('forgets a subject that is erased', () => {
  const { collector } = collectorWith();
  const decisions = decide(window(1), callsOf('ann', 'bob'));
  collector.check(eventOf('ann', decisions[0] as Decision));
  collector.check(eventOf('bob', decisions[1] as Decision));
  collector.erase(tenantId, 'ann');
  expect(collector.followed).toBe(1);
  const hour = collector.take()[0]?.hours[0];
  expect(hour?.calls).toBe(2);
  expect(hour?.subjects.map(({ subject }) => subject)).toEqual(['bob']);
});
