import { describe, expect, it } from 'vitest';
import { differences } from './diff.ts';

describe('what differs between two objects', () => {
  it('is told value by value, without what every change changes', () => {
    const before = { name: 'a', plan_id: null, version: 1, updated_at: 'x', tags: ['p'] };
    const after = { name: 'b', plan_id: 'p1', version: 2, updated_at: 'y', tags: ['p'] };
    expect(differences(before, after)).toEqual([
      { path: 'name', before: 'a', after: 'b' },
      { path: 'plan_id', before: 'none', after: 'p1' },
    ]);
  });

  it('knows items of lists by their names, wherever they stand', () => {
    const before = { limits: [{ name: 'm', limit: 1 }] };
    const after = {
      limits: [
        { name: 'n', limit: 5 },
        { name: 'm', limit: 2 },
      ],
    };
    expect(differences(before, after)).toEqual([
      { path: 'limits[m].limit', before: '1', after: '2' },
      { path: 'limits[n].name', before: undefined, after: 'n' },
      { path: 'limits[n].limit', before: undefined, after: '5' },
    ]);
  });

  it('of what was made or deleted is all of it', () => {
    expect(differences(null, { name: 'a', teams: {} })).toEqual([
      { path: 'name', before: undefined, after: 'a' },
      { path: 'teams', before: undefined, after: '{}' },
    ]);
    expect(differences({ name: 'a' }, null)).toEqual([
      { path: 'name', before: 'a', after: undefined },
    ]);
  });
});
