import { InvalidInput } from 'sluice';
import { parseWhole, refuseUnknownFields, requireObject } from 'sluice/core';

export const quotaLimitMax = 2 ** 50;

const teamsMax = 200;
const usersMax = 2000;
const nameLengthMax = 256;
const shownLengthMax = 64;

/** As it is stored: users are there even where there are none. */
export type Teams = Readonly<
  Record<
    string,
    { readonly limit: number; readonly users: Readonly<Record<string, { readonly limit: number }>> }
  >
>;

/** The branches below an organisation; what is wrong is named by its path. */
export function parseTeams(value: unknown): Teams {
  const teams = entriesOf('teams', value);
  if (teams.length > teamsMax) throw tooMany('teams', teamsMax, 'teams', teams.length);
  const parsed = Object.fromEntries(teams.map(([name, team]) => [name, parseTeam(name, team)]));
  const users = Object.values(parsed).reduce((sum, team) => sum + countOf(team.users), 0);
  if (users > usersMax) throw tooMany('teams', usersMax, 'users in all', users);
  return parsed;
}

function parseTeam(name: string, value: unknown): Teams[string] {
  const field = pathOf('teams', name);
  requireObject(field, value);
  const team = value as { readonly limit?: unknown; readonly users?: unknown };
  refuseUnknownFields(field, team, ['limit', 'users']);
  const users = team.users === undefined ? [] : entriesOf(`${field}.users`, team.users);
  if (users.length > usersMax) throw tooMany(`${field}.users`, usersMax, 'users', users.length);
  return {
    limit: parseLimit(`${field}.limit`, team.limit),
    users: Object.fromEntries(
      users.map(([user, given]) => [user, parseUser(pathOf(`${field}.users`, user), given)]),
    ),
  };
}

function parseUser(field: string, value: unknown): { readonly limit: number } {
  requireObject(field, value);
  const user = value as { readonly limit?: unknown };
  refuseUnknownFields(field, user, ['limit']);
  return { limit: parseLimit(`${field}.limit`, user.limit) };
}

export function parseLimit(field: string, value: unknown): number {
  if (value === undefined) throw new InvalidInput(field, 'is required');
  return parseWhole(field, value, { min: 1, max: quotaLimitMax });
}

/** What is given to the parts must be there in the whole, unless more is promised on purpose. */
export function requireFit(limit: number, teams: Teams): void {
  requireSum(limit, teams, { field: 'teams', whole: "the organisation's" });
  for (const [name, team] of Object.entries(teams)) {
    requireSum(team.limit, team.users, {
      field: `${pathOf('teams', name)}.users`,
      whole: "the team's",
    });
  }
}

function requireSum(
  limit: number,
  parts: Readonly<Record<string, { readonly limit: number }>>,
  { field, whole }: { readonly field: string; readonly whole: string },
): void {
  let sum = 0;
  for (const [name, part] of Object.entries(parts)) {
    sum += part.limit;
    if (sum <= limit) continue;
    throw new InvalidInput(
      `${pathOf(field, name)}.limit`,
      `with those before it is ${sum - limit} more than ${whole} ${limit}; lower it, or set overcommit`,
    );
  }
}

function entriesOf(field: string, value: unknown): [string, unknown][] {
  requireObject(field, value);
  const entries = Object.entries(value as object);
  for (const [name] of entries) requireName(field, name);
  return entries;
}

/** A value that an attribute of a check can have. */
function requireName(field: string, name: string): void {
  if (name === '') throw new InvalidInput(field, 'has an empty name in it');
  if (name.length > nameLengthMax) {
    throw new InvalidInput(
      pathOf(field, name),
      `must have a name of at most ${nameLengthMax} characters, got ${name.length}`,
    );
  }
  if (/[\p{Cc}\p{Cs}]/u.test(name)) {
    throw new InvalidInput(pathOf(field, name), 'must have a name of printable characters');
  }
}

function pathOf(field: string, name: string): string {
  return `${field}.${name.length > shownLengthMax ? `${name.slice(0, shownLengthMax)}…` : name}`;
}

function countOf(record: object): number {
  return Object.keys(record).length;
}

function tooMany(field: string, max: number, what: string, count: number): InvalidInput {
  return new InvalidInput(field, `must have at most ${max} ${what}, got ${count}`);
}
