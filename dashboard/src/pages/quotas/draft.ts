import type { FieldProblem } from '../../api/problem.ts';
import type { Mode, Period, QuotaReport } from './quota.ts';

/** A team or a user while it is being edited: numbers are text until they are sent. */
export type Part = {
  /** Stays through a change of the name. */
  readonly key: string;
  readonly name: string;
  readonly limit: string;
};
export type TeamDraft = Part & { readonly users: readonly Part[] };

export type QuotaDraft = {
  readonly name: string;
  readonly period: Period;
  readonly unit: string;
  readonly mode: Mode | null;
  readonly overcommit: boolean;
  readonly limit: string;
  readonly teams: readonly TeamDraft[];
};

export const newDraft: QuotaDraft = {
  name: 'quota',
  period: 'month',
  unit: 'requests',
  mode: null,
  overcommit: false,
  limit: '',
  teams: [],
};

export function draftOf(report: QuotaReport): QuotaDraft {
  const { name, period, unit, mode, overcommit, limit } = report;
  const teams = inOrder(report.teams).map(([team, { limit: ofTeam, users }]) => ({
    ...partOf(team, ofTeam),
    users: inOrder(users).map(([user, { limit: ofUser }]) => partOf(user, ofUser)),
  }));
  return { name, period, unit, mode, overcommit, limit: String(limit), teams };
}

/** By name: the order in which the service keeps them means nothing. */
function inOrder<T>(parts: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(parts).toSorted(([one], [other]) => one.localeCompare(other));
}

function partOf(name: string, limit: number): Part {
  return { key: name, name, limit: String(limit) };
}

let made = 0;

export function newPart(): Part {
  made += 1;
  // No name of a team has a character like this.
  return { key: `\u0000${made}`, name: '', limit: '' };
}

/** As the API takes it. */
export function bodyOf({ limit, teams, ...terms }: QuotaDraft): object {
  return { ...terms, limit: Number(limit), teams: entriesOf(teams, usersOf) };
}

function usersOf({ users }: TeamDraft): object {
  return { users: entriesOf(users, () => ({})) };
}

function entriesOf<P extends Part>(parts: readonly P[], more: (part: P) => object): object {
  return Object.fromEntries(
    parts.map((part) => [part.name, { limit: Number(part.limit), ...more(part) }]),
  );
}

export function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { limit }) => sum + numberOf(limit), 0);
}

/** How much more the parts are promised than the whole has. */
export function excessOf(limit: string, parts: readonly Part[]): number {
  return Math.max(0, sumOf(parts) - numberOf(limit));
}

/** While it is typed it may be no number at all. */
export function numberOf(limit: string): number {
  const value = Number(limit);
  return Number.isFinite(value) ? value : 0;
}

/** What the service would refuse, apart from what does not fit. */
export function problemsOf({ limit, teams }: QuotaDraft): FieldProblem[] {
  return [
    ...limitProblem('limit', limit),
    ...partProblems('teams', teams),
    ...teams.flatMap((team) => partProblems(`${pathOf('teams', team)}.users`, team.users)),
  ];
}

/** Of a part, as errors about it are addressed. One without a name is known by its key. */
export function pathOf(field: string, { name, key }: Part): string {
  return `${field}.${name === '' ? key : name}`;
}

function partProblems(field: string, parts: readonly Part[]): FieldProblem[] {
  return parts.flatMap((part, at) => {
    const path = pathOf(field, part);
    const isTaken = parts.slice(0, at).some(({ name }) => name === part.name);
    const nameProblem =
      part.name.trim() === '' ? 'needs a name' : isTaken ? 'is there already' : null;
    return [
      ...(nameProblem === null ? [] : [{ field: `${path}.name`, problem: nameProblem }]),
      ...limitProblem(`${path}.limit`, part.limit),
    ];
  });
}

function limitProblem(field: string, limit: string): FieldProblem[] {
  const value = Number(limit);
  const isWhole = limit.trim() !== '' && Number.isSafeInteger(value) && value >= 1;
  return isWhole ? [] : [{ field, problem: 'must be a whole number from 1 on' }];
}

/** Whether anything at all does not fit. */
export function isOverAllocated({ limit, teams }: QuotaDraft): boolean {
  return excessOf(limit, teams) > 0 || teams.some((team) => excessOf(team.limit, team.users) > 0);
}
