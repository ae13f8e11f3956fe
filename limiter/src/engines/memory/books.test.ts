import { describe, expect, it } from 'vitest';
import { Books, dropBatch, takeBatch, type TenantBooks } from './books.ts';
import { compareEpoch, raiseEpoch } from './epoch.ts';
import { minuteOf } from './ledger.ts';

const nowUs = 1_700_000_000_000_000;
const dayUs = 86_400_000_000;
const epoch = { tenant: 3, shared: 1 };
const known = (books: Books) => Array.from(books.all(), ([key]) => key);

function count(books: TenantBooks, atUs: number): void {
  books.ledger.add({ minute: minuteOf(atUs), outcome: 'allowed', label: 'l', count: 1 });
}

describe('the books of a tenant', () => {
  it('know its epoch for a day, and are then asked as if they never had', () => {
    const own = new Books(10).of({ id: 'acme' });
    raiseEpoch(own, epoch, nowUs);
    expect(compareEpoch(own, { epoch }, nowUs + dayUs - 1)).toBe(null);
    expect(compareEpoch(own, { epoch: { tenant: 2, shared: 1 } }, nowUs + dayUs - 1)).toBe('stale');
    expect(compareEpoch(own, { epoch }, nowUs + dayUs)).toBe('unknown');
    expect(compareEpoch(own, { epoch, confirmed: true }, nowUs + dayUs)).toBe(null);
    expect(compareEpoch(own, { epoch }, nowUs + 2 * dayUs - 1)).toBe(null);
  });

  it('are gone when all that they had has run out', () => {
    const books = new Books(10);
    const own = books.of({ id: 'acme' });
    raiseEpoch(own, epoch, nowUs);
    count(own, nowUs);
    expect(takeBatch(own, 1, nowUs)).toMatchObject({ kind: 'taken', counts: [{ count: 1 }] });
    dropBatch(own, 1, nowUs);
    expect(takeBatch(own, 1, nowUs)).toEqual({ kind: 'dropped', last: 1 });
    books.sweep(10, nowUs + 3 * dayUs - 1);
    expect(known(books)).toEqual(['0:acme']);
    expect(takeBatch(own, 1, nowUs + 3 * dayUs - 1)).toEqual({ kind: 'dropped', last: 1 });
    books.sweep(10, nowUs + 3 * dayUs);
    expect(known(books)).toEqual([]);
  });

  it('keep a batch that nobody drops for three days', () => {
    const books = new Books(10);
    const own = books.of({ id: 'acme' });
    count(own, nowUs);
    const taken = takeBatch(own, 1, nowUs);
    books.sweep(10, nowUs + 3 * dayUs - 1);
    expect(takeBatch(own, 1, nowUs + 3 * dayUs - 1)).toEqual(taken);
    expect(takeBatch(own, 1, nowUs + 3 * dayUs)).toEqual({ kind: 'taken', counts: [] });
    books.sweep(10, nowUs + 3 * dayUs);
    expect(known(books)).toEqual([]);
  });
});

it('a sweep goes on where the last one ended, and begins anew after all', () => {
  const books = new Books(10);
  for (let at = 0; at < 25; at += 1) raiseEpoch(books.of({ id: `t${at}` }), epoch, nowUs);
  for (let at = 25; at < 30; at += 1) raiseEpoch(books.of({ id: `t${at}` }), epoch, nowUs + dayUs);
  const left = [];
  for (let sweep = 0; sweep < 4; sweep += 1) {
    books.sweep(10, nowUs + dayUs);
    left.push(known(books).length);
  }
  expect(left).toEqual([20, 10, 5, 5]);
  // The fourth came to the end of all: the fifth begins anew.
  books.sweep(10, nowUs + 2 * dayUs);
  expect(known(books)).toEqual([]);
});
