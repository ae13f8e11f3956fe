import { useState } from 'react';
import type { FieldProblem } from '../api/problem.ts';
import { Field } from '../ui/form/Field.tsx';
import { recordOf, type LimitDraft } from './draft.ts';

/** The same as the form, as the API takes it. */
export function JsonView({
  draft,
  problems,
  onChange,
  onBroken,
}: {
  readonly draft: LimitDraft;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (draft: LimitDraft) => void;
  /** It is no JSON: why, or null when it is again. */
  readonly onBroken: (problem: string | null) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(draft, null, 2));
  const change = (next: string) => {
    setText(next);
    const { value, problem } = read(next);
    onBroken(problem);
    if (value) onChange(value);
  };
  return (
    <div className="stack">
      <Field
        label="As JSON"
        name="json"
        hint="What the API takes. Fields that the form does not show can be written here too."
      >
        {(wiring) => (
          <textarea
            {...wiring}
            className="json"
            spellCheck={false}
            rows={Math.min(40, text.split('\n').length + 1)}
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        )}
      </Field>
      <ul className="problem-list">
        {problems
          .filter(({ field }) => field !== 'json')
          .map(({ field, problem }) => (
            <li key={field} className="field-error">
              <code>{field}</code> {problem}
            </li>
          ))}
      </ul>
    </div>
  );
}

function read(text: string): { value: LimitDraft | null; problem: string | null } {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject
      ? { value: recordOf(value), problem: null }
      : { value: null, problem: 'must be an object in braces' };
  } catch {
    return {
      value: null,
      problem: 'is not JSON yet: a comma, quote or brace is missing somewhere',
    };
  }
}
