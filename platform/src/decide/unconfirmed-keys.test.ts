import { beforeEach, expect, test } from 'vitest';
import { Confirmations } from '../snapshot/confirmations.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Caller } from './identify.ts';
import { UnconfirmedKeys } from './unconfirmed-keys.ts';

let nowMs: number;
let confirmations: Confirmations;
let told: string[];

beforeEach(() => {
  nowMs = 1_000_000;
  confirmations = new Confirmations({ nowMs: () => nowMs });
  confirmations.heard(nowMs);
  told = [];
});

function keysWith(policy: 'accept' | 'refuse'): UnconfirmedKeys {
  return new UnconfirmedKeys({
    confirmations,
    policy,
    maxAgeMs: 30_000,
    onCheck: (outcome) => told.push(outcome),
    onBegin: () => told.push('begin'),
    onEnd: (checks) => told.push(`end ${checks}`),
  });
}

function callerAt(place?: string, { keyEpoch = 5 } = {}): Caller {
  const snapshot = { tenant: {}, ref: { id: 'acme', place }, epoch: { tenant: 5, shared: 1 } };
  return { key: { epoch: keyEpoch } as Caller['key'], snapshot: snapshot as unknown as Snapshot };
}

test('a key is believed for so long after the database was heard, and then as is declared', () => {
  const caller = callerAt();
  const [accepting, refusing] = [keysWith('accept'), keysWith('refuse')];
  nowMs += 30_000;
  expect([accepting.admits(caller, false), refusing.admits(caller, false)]).toEqual([true, true]);
  expect(told).toEqual([]);
  nowMs += 1;
  expect([accepting.admits(caller, false), refusing.admits(caller, false)]).toEqual([true, false]);
  expect(told).toEqual(['begin', 'accepted', 'begin', 'refused']);
});

test('it begins once and ends once, whatever comes in between', () => {
  const keys = keysWith('accept');
  nowMs += 31_000;
  for (let at = 0; at < 3; at += 1) keys.admits(callerAt(), false);
  confirmations.heard(nowMs);
  keys.databaseHeard();
  keys.databaseHeard();
  keys.admits(callerAt(), false);
  expect(told).toEqual(['begin', 'accepted', 'accepted', 'accepted', 'end 3']);
});

test('an answer of its store confirms it, and for so long after', () => {
  const caller = callerAt();
  const keys = keysWith('refuse');
  nowMs += 600_000;
  expect(keys.refusesUnasked(caller)).toBe(false);
  expect(keys.admits(caller, true)).toBe(true);
  nowMs += 30_000;
  expect(keys.admits(caller, false)).toBe(true);
  nowMs += 1;
  expect(keys.admits(caller, false)).toBe(false);
  // Another tenant was not asked for.
  expect(keys.admits(callerAt(), false)).toBe(false);
});

test('a store that was away confirms nothing until the database was heard after that', () => {
  const [caller, elsewhere] = [callerAt('own'), callerAt()];
  const keys = keysWith('refuse');
  const accepting = keysWith('accept');
  nowMs += 31_000;
  confirmations.doubt('own');
  const askedBeforeMs = nowMs - 1;
  expect(keys.refusesUnasked(caller)).toBe(true);
  expect(accepting.refusesUnasked(caller)).toBe(false);
  expect(accepting.admits(caller, true)).toBe(true);
  expect(told).toEqual(['begin', 'accepted']);
  expect(keys.refusesUnasked(elsewhere)).toBe(false);
  confirmations.heard(askedBeforeMs);
  nowMs += 31_000;
  expect(keys.refusesUnasked(caller)).toBe(true);
  confirmations.heard(nowMs);
  nowMs += 31_000;
  expect(keys.refusesUnasked(caller)).toBe(false);
});

test('a store that repeats what it was told by us confirms nothing', () => {
  const caller = callerAt();
  const keys = keysWith('refuse');
  nowMs += 31_000;
  keys.toldByUs(caller);
  expect(keys.refusesUnasked(caller)).toBe(true);
  confirmations.heard(nowMs);
  nowMs += 31_000;
  expect(keys.refusesUnasked(caller)).toBe(false);
});

test('a key that could not be read anew is not confirmed with its tenant', () => {
  const caller = callerAt(undefined, { keyEpoch: 4 });
  const keys = keysWith('refuse');
  nowMs += 31_000;
  expect(keys.refusesUnasked(caller)).toBe(true);
});

test('what was charged while the time ran out is not refused', () => {
  const caller = callerAt();
  const keys = keysWith('refuse');
  nowMs += 30_000;
  expect(keys.refusesUnasked(caller)).toBe(false);
  confirmations.doubt(undefined);
  nowMs += 1;
  expect(keys.admits(caller, true)).toBe(true);
});
