import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  draftOf,
  excessOf,
  isOverAllocated,
  newDraft,
  newPart,
  problemsOf,
  type QuotaDraft,
} from './draft.ts';
import type { QuotaReport } from './quota.ts';

const counted = { used: 0, remaining: 0 };
const report = {
  name: 'quota',
  period: 'month',
  unit: 'requests',
  limit: 100,
  mode: null,
  overcommit: false,
  teams: {
    eng: { limit: 60, ...counted, users: { ann: { limit: 20, ...counted } } },
    ops: { limit: 40, ...counted, users: {} },
  },
} as unknown as QuotaReport;

describe('a quota while it is edited', () => {
  it('is sent as it came when nothing was changed', () => {
    expect(bodyOf(draftOf(report))).toEqual({
      name: 'quota',
      period: 'month',
      unit: 'requests',
      mode: null,
      overcommit: false,
      limit: 100,
      teams: {
        eng: { limit: 60, users: { ann: { limit: 20 } } },
        ops: { limit: 40, users: {} },
      },
    });
  });

  it('says how much more its parts are promised than it has, at each level', () => {
    const draft = draftOf(report);
    expect(excessOf(draft.limit, draft.teams)).toBe(0);
    expect(isOverAllocated(draft)).toBe(false);
    expect(excessOf('90', draft.teams)).toBe(10);
    const [eng, ...others] = draft.teams;
    const users = [...(eng?.users ?? []), { ...newPart(), name: 'bob', limit: '41' }];
    const crowded = { ...draft, teams: [{ ...eng, users }, ...others] } as QuotaDraft;
    expect(excessOf('60', users)).toBe(1);
    expect(isOverAllocated(crowded)).toBe(true);
  });

  it('names what is missing, double or no number by its place', () => {
    const draft = draftOf(report);
    const teams = [
      ...draft.teams,
      { ...newPart(), name: 'eng', limit: '1.5', users: [] },
      { ...newPart(), users: [] },
    ];
    const found = problemsOf({ ...draft, limit: '', teams });
    expect(found.map(({ problem }) => problem)).toEqual([
      'must be a whole number from 1 on',
      'is there already',
      'must be a whole number from 1 on',
      'needs a name',
      'must be a whole number from 1 on',
    ]);
    expect(problemsOf({ ...newDraft, limit: '5' })).toEqual([]);
  });
});
