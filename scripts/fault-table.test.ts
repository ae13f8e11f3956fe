import { expect, it } from 'vitest';
import { mergeFaultTables, readResults, renderFaultTable } from './fault-table.mjs';

const figure = { name: 'over-admission', measured: 0, target: '0', isMet: true };
const result = { id: 'T02', name: 'Second', scale: 1, figures: [figure], notes: ['8 × 10'] };
const lines = (...results: object[]) => results.map((one) => `${JSON.stringify(one)}\n`).join('');

it('keeps the newest result of each campaign, in the order of their ids', () => {
  const newer = { ...result, notes: ['newer'] };
  const first = { ...result, id: 'T01', name: 'First' };
  expect(readResults(lines(result, first, newer))).toEqual([first, newer]);
});

it('tells each figure beside its target, and what was missed', () => {
  const slow = { name: 'p99, ms', measured: 61.234, target: '≤ 60', isMet: false };
  const never = { name: 'back, ms', measured: Infinity, target: '≤ 5', isMet: false };
  const text = renderFaultTable(lines({ ...result, figures: [figure, slow, never] }));
  expect(text.split('\n').slice(2)).toEqual([
    '| T02 | Second | over-admission | 0 | 0 | ok |',
    '| | | p99, ms | ≤ 60 | 61.2 | missed |',
    '| | | back, ms | ≤ 5 | – | missed |',
    '| | | _8 × 10_ | | | |',
  ]);
});

it('says how small a run was, and what was not shown', () => {
  const small = { ...result, scale: 0.1, figures: [], notes: [] };
  const short = { ...small, id: 'T03', scale: null };
  expect(renderFaultTable(lines(small, short)).split('\n').slice(2)).toEqual([
    '| T02 | Second (10 % of its size) | | | | not shown |',
    '| T03 | Second (short form) | | | | not shown |',
  ]);
});

it('puts the rows of what ran again in the place of the old ones, and leaves the others', () => {
  const first = { ...result, id: 'T01', name: 'First' };
  const again = { ...result, figures: [{ ...figure, measured: 7 }], notes: [] };
  const third = { ...result, id: 'T03', name: 'Third', notes: [] };
  const merged = mergeFaultTables(
    renderFaultTable(lines(first, result)),
    renderFaultTable(lines(again, third)),
  );
  const expected = { ...again, id: 'T02' };
  expect(merged).toBe(renderFaultTable(lines(first, expected, third)));
});
