import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerCount } from '../../core/engine.ts';
import { Ledger, minuteOf } from './ledger.ts';

const entry = fc.record({
  minute: fc.constantFrom(7, 8),
  outcome: fc.constantFrom('allowed', 'warned', 'blocked'),
  label: fc.constantFrom('', 'a', 'b'),
  count: fc.integer({ min: 1, max: 3 }),
}) satisfies fc.Arbitrary<LedgerCount>;
const step = fc.oneof(
  { weight: 9, arbitrary: entry },
  { weight: 1, arbitrary: fc.constant('take' as const) },
);

it('counts each thing that happened once, between two takings of all of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = new Ledger();
      const taken: [string, number][][] = [];
      const left: number[] = [];
      const expected: Map<string, number>[] = [];
      let counts = new Map<string, number>();
      for (const one of [...steps, 'take' as const]) {
        if (one === 'take') {
          taken.push(ledger.take().map((count) => [nameOf(count), count.count]));
          left.push(ledger.size);
          expected.push(counts);
          counts = new Map();
        } else {
          ledger.add(one);
          counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + one.count);
        }
      }
      expect(taken).toEqual(expected.map((each) => [...each]));
      expect(left).toEqual(taken.map(() => 0));
    }),
  );
});

it('what was taken is changed no more', () => {
  const ledger = new Ledger();
  ledger.add(of(7));
  const [before] = ledger.take();
  ledger.add(of(7));
  expect(before?.count).toBe(1);
  expect(ledger.take()).toEqual([of(7)]);
});

it('what was dumped is changed no more', () => {
  const ledger = new Ledger();
  ledger.add(of(7));
  const dumped = ledger.entries();
  ledger.add(of(7));
  expect(dumped.map(([, { count }]) => count)).toEqual([1]);
  expect(ledger.take().map(({ count }) => count)).toEqual([2]);
});

it('forgets after three days what nobody took, and goes on counting', () => {
  const day = 86_400_000_000;
  const ledger = new Ledger();
  ledger.add(of(minuteOf(4 * day)));
  ledger.add(of(minuteOf(day)));
  ledger.forgetUntaken(4 * day + 60_000_000);
  ledger.add(of(minuteOf(day)));
  expect(ledger.take()).toEqual([of(minuteOf(4 * day)), of(minuteOf(day))]);
});

function of(minute: number): LedgerCount {
  return { minute, outcome: 'allowed', label: 'a', count: 1 };
}

function nameOf({ minute, outcome, label }: LedgerCount): string {
  return `${minute} ${outcome} ${label}`;
}
