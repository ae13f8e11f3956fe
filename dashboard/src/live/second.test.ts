import { describe, expect, it } from 'vitest';
import { topOf, withSecond, type LiveSecond } from './second.ts';

const second = (at: number, refused = 0): LiveSecond => ({
  at,
  nodes: 1,
  decisions: refused,
  outcomes: { allowed: 0, blocked: refused, warned: 0, shadowed: 0, degraded: 0 },
  latency_ms: { p50: null, p99: null },
  top_limits: [{ tenant_id: 't', limit: `l${at % 2}`, refused, would_refuse: 0 }],
  top_subjects: [],
  stores: { database: 'up', store: 'up' },
  factor: 1,
});

describe('seconds', () => {
  it('stand in order, whenever they are told, and one that is told again is replaced', () => {
    let seconds: readonly LiveSecond[] = [];
    for (const told of [second(2), second(4), second(3), second(2, 9)]) {
      seconds = withSecond(seconds, told, 10);
    }
    expect(seconds.map(({ at }) => at)).toEqual([2, 3, 4]);
    expect(seconds[0]?.decisions).toBe(9);
  });

  it('are kept up to a number, the oldest being forgotten', () => {
    let seconds: readonly LiveSecond[] = [];
    for (let at = 0; at < 10; at += 1) seconds = withSecond(seconds, second(at), 3);
    expect(seconds.map(({ at }) => at)).toEqual([7, 8, 9]);
  });

  it('add up to who was refused most', () => {
    const top = topOf(
      [second(1, 5), second(2, 6), second(3, 4)],
      ({ top_limits }) => top_limits,
      ({ limit }) => limit,
      (sum, item) => ({ ...sum, refused: sum.refused + item.refused }),
    );
    expect(top.map(({ limit, refused }) => [limit, refused])).toEqual([
      ['l1', 9],
      ['l0', 6],
    ]);
  });
});
