import { describe, expect, it } from 'vitest';
import { InvalidInput } from 'sluice';
import { parseQuota } from './quota.ts';

const many = (count: number, make: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, make(at)]));

function problemOf(input: Readonly<Record<string, unknown>>): string {
  try {
    parseQuota({ limit: 100, ...input });
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'none';
}

describe('a quota', () => {
  it('has defaults for all but its limit', () => {
    expect(parseQuota({ limit: 5 })).toEqual({
      name: 'quota',
      period: 'month',
      unit: 'requests',
      limit: 5,
      mode: null,
      overcommit: false,
      teams: {},
    });
    expect(() => parseQuota({})).toThrow('limit: is required');
  });

  it.each([
    [{ limit: 0 }, /^limit: must be between 1/],
    [{ limit: 1.5 }, /^limit: must be a whole number/],
    [{ limit: 2 ** 50 + 1 }, /^limit: must be between/],
    [{ limit: '5' }, /^limit: must be a number/],
    [{ colour: 1 }, /^colour: is not known here/],
    [{ name: 'a b' }, /^name: /],
    [{ name: 'x'.repeat(60) }, /^name: must have at most 59/],
    [{ period: 'fortnight' }, /^period: must be one of hour, day, week, month, year/],
    [{ unit: '' }, /^unit: /],
    [{ mode: 'maybe' }, /^mode: /],
    [{ overcommit: 'yes' }, /^overcommit: /],
    [{ teams: [] }, /^teams: must be an object/],
    [{ teams: null }, /^teams: must be an object/],
    [{ teams: { eng: 5 } }, /^teams\.eng: must be an object/],
    [{ teams: { eng: {} } }, /^teams\.eng\.limit: is required/],
    [{ teams: { eng: { limit: 0 } } }, /^teams\.eng\.limit: must be between 1/],
    [{ teams: { eng: { limit: 1, size: 2 } } }, /^teams\.eng\.size: is not known here/],
    [{ teams: { '': { limit: 1 } } }, /^teams: has an empty name/],
    [{ teams: { ['x'.repeat(257)]: { limit: 1 } } }, /^teams\.x{64}…: must have a name of at most/],
    [{ teams: { 'a\u0000': { limit: 1 } } }, /^teams\.a.: .*printable/],
    [{ teams: { '\ud800': { limit: 1 } } }, /printable/],
    [{ teams: { eng: { limit: 1, users: [] } } }, /^teams\.eng\.users: must be an object/],
    [
      { teams: { eng: { limit: 9, users: { alice: { limit: 1.5 } } } } },
      /^teams\.eng\.users\.alice\.limit: must be a whole number/,
    ],
    [
      { teams: { eng: { limit: 9, users: { alice: { users: {} } } } } },
      /^teams\.eng\.users\.alice\.users: is not known here/,
    ],
    [{ teams: many(201, () => ({ limit: 1 })) }, /^teams: must have at most 200 teams, got 201/],
    [
      { teams: { eng: { limit: 1, users: many(2001, () => ({ limit: 1 })) } } },
      /^teams\.eng\.users: must have at most 2000 users, got 2001/,
    ],
    [
      { teams: many(2, () => ({ limit: 1, users: many(1001, () => ({ limit: 1 })) })) },
      /^teams: must have at most 2000 users in all, got 2002/,
    ],
  ])('of %j is refused by the path of what is wrong', (input, problem) => {
    expect(problemOf({ overcommit: true, ...input })).toMatch(problem);
  });

  it('takes as much as it may have', () => {
    const limit = 2 ** 50;
    expect(problemOf({ limit, teams: many(200, () => ({ limit: 1 })) })).toBe('none');
    const users = many(2000, () => ({ limit: 1 }));
    expect(problemOf({ limit, teams: { ['x'.repeat(256)]: { limit, users } } })).toBe('none');
  });
});

describe('what is given to parts', () => {
  const users = { alice: { limit: 30 }, bob: { limit: 20 } };

  it('may be all of the whole, and not one more', () => {
    const teams = { eng: { limit: 50, users }, ops: { limit: 50 } };
    expect(problemOf({ teams })).toBe('none');
    expect(problemOf({ limit: 99, teams })).toBe(
      "teams.ops.limit: with those before it is 1 more than the organisation's 99; lower it, or set overcommit",
    );
    const tight = { eng: { limit: 45, users } };
    expect(problemOf({ teams: tight })).toMatch(
      /^teams\.eng\.users\.bob\.limit: with those before it is 5 more than the team's 45/,
    );
  });

  it('may be more on purpose', () => {
    const teams = { eng: { limit: 500, users: { alice: { limit: 900 } } } };
    expect(problemOf({ teams })).toMatch(/^teams\.eng\.limit: .* 400 more/);
    expect(problemOf({ teams, overcommit: true })).toBe('none');
  });

  it('is told to the last unit, however much it is', () => {
    const limit = 2 ** 50;
    const teams = { a: { limit }, b: { limit: 1 } };
    expect(problemOf({ limit, teams })).toMatch(/^teams\.b\.limit: with those before it is 1 more/);
  });
});
