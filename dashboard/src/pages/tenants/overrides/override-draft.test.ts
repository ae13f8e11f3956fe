import { describe, expect, it } from 'vitest';
import { asItIs, chosen } from '../lifetime.ts';
import { noDraft, problemsOf } from './override-draft.ts';

const typed = (at: string) => ({ choice: 'at', at });
const before = { starts_at: '2027-01-01T00:00:00Z', expires_at: '2027-02-01T00:00:00Z' };

describe('an override that would end before it starts', () => {
  it('is found at its end', () => {
    const late = { field: 'expires_at', problem: 'must be after it starts' };
    expect(problemsOf({ ...noDraft, starting: chosen('week') })).toEqual([late]);
    const never = { starting: chosen('week'), ending: chosen('never') };
    expect(problemsOf({ ...noDraft, ...never })).toEqual([]);
    const same = { starting: typed('2027-01-01T10:00'), ending: typed('2027-01-01T10:00') };
    expect(problemsOf({ ...noDraft, ...same })).toEqual([late]);
  });

  it('is found at its start where the end stays as it is', () => {
    const kept = { ...noDraft, starting: asItIs, ending: asItIs };
    expect(problemsOf(kept, before)).toEqual([]);
    expect(problemsOf({ ...kept, starting: chosen('now') }, before)).toEqual([]);
    expect(problemsOf({ ...kept, starting: typed('2027-02-02T10:00') }, before)).toEqual([
      { field: 'starts_at', problem: 'must be before it ends' },
    ]);
  });

  it('is held against the start that stays as it is', () => {
    const ending = typed('2026-12-24T10:00');
    expect(problemsOf({ ...noDraft, starting: asItIs, ending }, before)).toHaveLength(1);
  });

  it('is not guessed at before both are typed', () => {
    const half = { starting: typed(''), ending: typed('2027-01-01T10:00') };
    expect(problemsOf({ ...noDraft, ...half })).toEqual([]);
  });
});
