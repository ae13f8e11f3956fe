import { withField, type LimitDraft } from '../draft.ts';

/** One field of what is being written: its path, as the API names it, and its value. */
export type Bound = {
  readonly name: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
};

export type Bind = (field: string) => Bound;

/** The fields of an object at a path. */
export function bindTo(
  draft: LimitDraft,
  path: string,
  onChange: (draft: LimitDraft) => void,
): Bind {
  return (field) => ({
    name: path === '' ? field : `${path}.${field}`,
    value: draft[field],
    onChange: (value) => onChange(withField(draft, field, value)),
  });
}

/** What stands in an input: a number where it is one, so that the service's own words say what is wrong with the rest. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

export function readText(text: string): string | undefined {
  return text === '' ? undefined : text;
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
