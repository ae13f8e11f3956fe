import { readFileSync } from 'node:fs';
import { settings } from './table.ts';

/** The one variable that says where the others are. */
export const fileSetting = 'SLUICE_CONFIG';

export type Variables = Readonly<Record<string, string | undefined>>;

const settingNames = Object.values(settings).map(({ name }) => name);

/** A setting that is misspelt does nothing, silently: the worst a setting can do. */
export function unknownVariables(env: Variables): string[] {
  const known = [fileSetting, ...settingNames];
  return Object.keys(env)
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name))
    .map((name) => `${name} is not known${didYouMean(name, known)}`);
}

/** By variable. In a file a list may be a list, a number a number and a switch true or false. */
export function readFile(path: string, problems: string[]): Record<string, string> {
  const file = parseFile(path, problems);
  const names = new Map(settingNames.map((name) => [fileKey(name), name]));
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(file)) {
    const name = names.get(key);
    const text = fileText(value);
    if (name === undefined) {
      problems.push(`${path}: "${key}" is not known${didYouMean(key, [...names.keys()])}`);
    } else if (text === null) {
      problems.push(`${path}: "${key}" must be text, a number, true, false or a list of texts`);
    } else {
      values[name] = text;
    }
  }
  return values;
}

function parseFile(path: string, problems: string[]): object {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file;
    problems.push(`${fileSetting}: ${path} must hold one JSON object`);
  } catch (error) {
    // What the parser says may quote the file, and the file may hold secrets.
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    problems.push(`${fileSetting}: ${path} ${reason}`);
  }
  return {};
}

function fileKey(name: string): string {
  return name.replace(/^SLUICE_/, '').toLowerCase();
}

function fileText(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'string') ? value.join(',') : null;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function didYouMean(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((other) => ({ other, steps: editSteps(name, other) }))
    .toSorted((a, b) => a.steps - b.steps);
  return nearest && nearest.steps <= name.length / 3 ? `; did you mean ${nearest.other}?` : '';
}

/** How many letters to add, drop or change to get from one to the other. */
function editSteps(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of from.split('').entries()) {
    const current = [row + 1];
    for (const [column, other] of to.split('').entries()) {
      const change = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const drop = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(change, drop, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
