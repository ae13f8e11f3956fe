import { createLimiter, type LimitInput } from 'sluice';
import type { Decision } from 'sluice/core';
import { describe, expect, it } from 'vitest';
import type { CheckEvent } from '../../observe/index.ts';
import { LiveCollector } from './collector.ts';
import { mergeFigures } from './figures.ts';
import { Latencies } from './latencies.ts';

const tenant = '01990000-0000-7000-8000-000000000001';
const stores = { database: 'up', store: 'up' } as const;
const one: LimitInput = { algorithm: 'fixed_window', name: 'one', limit: 1, window: '1 h' };

function rig() {
  const clock = { nowMs: 50_000 };
  const limiter = createLimiter({ limits: [one] });
  const hashed: string[] = [];
  const collector = new LiveCollector(
    (_tenant, subject) => {
      hashed.push(subject);
      return `hash of ${subject}`;
    },
    () => clock.nowMs,
  );
  const check = (subject: string, durationUs = 100): Decision => {
    const decision = limiter.checkSync({ resource: 'GET:/orders', subject });
    collector.check({ tenant, subject, decision, durationUs } as CheckEvent);
    return decision;
  };
  return { clock, collector, check, hashed };
}

describe('what is counted of a second', () => {
  it('is of that second alone, and taken once', () => {
    const { clock, collector, check } = rig();
    check('a');
    check('a');
    clock.nowMs += 1000;
    check('b');
    expect(collector.take(50).outcomes).toMatchObject({ allowed: 1, blocked: 1 });
    expect(collector.take(50).outcomes).toMatchObject({ allowed: 0, blocked: 0 });
    expect(collector.take(51).outcomes).toMatchObject({ allowed: 1, blocked: 0 });
  });

  it('names who was refused most, by a hash that is made for those alone', () => {
    const { collector, check, hashed } = rig();
    const first = new Map<string, Decision>();
    for (let subject = 0; subject < 50; subject += 1) {
      const name = `s${subject}`;
      for (let times = 0; times <= subject; times += 1) {
        const decision = check(name);
        if (!decision.allowed && !first.has(name)) first.set(name, decision);
      }
    }
    check('s49');
    const { subjects, limits } = collector.take(50);
    expect(subjects.map(({ refused }) => refused)).toEqual([
      50, 48, 47, 46, 45, 44, 43, 42, 41, 40,
    ]);
    expect(subjects[0]).toEqual({
      tenant_id: tenant,
      subject_hash: 'hash of s49',
      limit: 'one',
      refused: 50,
      decision_id: first.get('s49')?.decisionId,
    });
    expect(hashed).toHaveLength(10);
    const refused = (49 * 50) / 2 + 1;
    expect(limits).toEqual([{ tenant_id: tenant, limit: 'one', refused, would_refuse: 0 }]);
  });

  it('shows who is refused most in a flood, nearly how often, though few are counted', () => {
    const { collector, check } = rig();
    for (let call = 0; call < 40_000; call += 1) check(call % 2 === 0 ? 'noisy' : `s${call % 999}`);
    const [first, second] = collector.take(50).subjects;
    expect(first?.refused).toBeGreaterThan(17_000);
    expect(first?.refused).toBeLessThan(23_000);
    expect(second?.refused).toBeLessThan(1000);
  });

  it('is bounded: in subjects, and in seconds that nobody takes', () => {
    const { clock, collector, check } = rig();
    check('first');
    for (let subject = 0; subject < 5100; subject += 1) {
      check(`s${subject}`);
      check(`s${subject}`);
    }
    expect(collector.take(50).outcomes.blocked).toBe(5100);
    for (let second = 0; second < 12; second += 1) {
      clock.nowMs += 1000;
      check(`at${second}`);
    }
    expect(collector.take(51).outcomes.allowed).toBe(0);
    expect(collector.take(62).outcomes.allowed).toBe(1);
  });
});

describe('the seconds of several nodes', () => {
  it('add up', () => {
    const nodes = [rig(), rig()].map(({ collector, check }) => {
      for (const subject of ['a', 'a', 'a', 'b', 'b']) check(subject);
      return { ...collector.take(50), stores };
    });
    const [here, there] = nodes;
    if (!here || !there) throw new Error('two nodes');
    const merged = mergeFigures(50, [here, { ...there, stores: { ...stores, store: 'down' } }]);
    expect(merged).toMatchObject({ at: 50, nodes: 2, decisions: 10, factor: 1 });
    expect(merged.outcomes).toMatchObject({ allowed: 4, blocked: 6 });
    expect(merged.top_subjects.map(({ subject_hash: hash, refused }) => [hash, refused])).toEqual([
      ['hash of a', 4],
      ['hash of b', 2],
    ]);
    expect(merged.top_limits).toMatchObject([{ limit: 'one', refused: 6 }]);
    expect(merged.stores).toEqual({ database: 'up', store: 'down' });
  });

  it('of nobody are nothing', () => {
    expect(mergeFigures(50, [])).toMatchObject({
      nodes: 0,
      decisions: 0,
      latency_ms: { p50: null, p99: null },
    });
  });
});

describe('latencies', () => {
  it('are told within a fifth', () => {
    const latencies = new Latencies();
    for (let us = 1; us <= 10_000; us += 1) latencies.add(us);
    const [p50, p99] = [latencies.quantileMs(0.5), latencies.quantileMs(0.99)] as [number, number];
    expect(p50).toBeGreaterThanOrEqual(5);
    expect(p50).toBeLessThan(5 * 1.2);
    expect(p99).toBeGreaterThanOrEqual(9.9);
    expect(p99).toBeLessThan(9.9 * 1.2);
  });

  it('of any length have a place', () => {
    const latencies = new Latencies();
    for (const us of [0, 0.2, 1e15]) latencies.add(us);
    expect(latencies.counts.length).toBe(96);
    expect(latencies.quantileMs(0.5)).toBeLessThanOrEqual(0.002);
  });
});
