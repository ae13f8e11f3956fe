import { createContext, useContext } from 'react';
import { ApiProblem, type FieldProblem } from '../../api/problem.ts';

/** What the service, or the form itself, found wrong with single fields. */
export const FormErrors = createContext<readonly FieldProblem[]>([]);

/** Of the field, or of something inside it: `limits[0].window_seconds` is of `limits` too. */
export function useFieldError(name: string): string | undefined {
  const errors = useContext(FormErrors);
  const exact = errors.find(({ field }) => field === name);
  const inside = errors.find(
    ({ field }) => field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
  );
  if (exact) return exact.problem;
  return inside && `${inside.field.slice(name.length).replace(/^\./, '')}: ${inside.problem}`;
}

export function fieldErrorsOf(error: unknown): readonly FieldProblem[] {
  return error instanceof ApiProblem ? error.errors : [];
}
