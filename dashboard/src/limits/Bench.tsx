import { useState, type ReactNode } from 'react';
import type { FieldProblem } from '../api/problem.ts';
import { isConflict } from '../api/queries.ts';
import { useUnsaved } from '../leaving/leaving.ts';
import { Button } from '../ui/Button.tsx';
import { Form } from '../ui/form/Form.tsx';
import { fieldErrorsOf } from '../ui/form/form-context.ts';
import { Tabs } from '../ui/Tabs.tsx';
import { limitsIn, type LimitDraft } from './draft.ts';
import { JsonView } from './JsonView.tsx';
import { LimitsEditor } from './LimitsEditor.tsx';
import { Preview } from './preview/Preview.tsx';
import { placeOf } from './problems.ts';
import './limits.css';

const views = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const;

/** Where limits are made: what is written, what is wrong with it, and what it would do. */
export function Bench({
  draft,
  problems,
  fields,
  allowGlobal = false,
  submit,
  saving: { isPending, error },
  onChange,
  onSubmit,
  onReload,
}: {
  readonly draft: LimitDraft;
  /** What the service would find wrong. */
  readonly problems: readonly FieldProblem[];
  /** Besides the limits. */
  readonly fields: ReactNode;
  readonly allowGlobal?: boolean;
  readonly submit: string;
  readonly saving: { readonly isPending: boolean; readonly error: unknown };
  readonly onChange: (draft: LimitDraft) => void;
  readonly onSubmit: () => void;
  /** Throws away what is written, for what somebody else has saved. */
  readonly onReload?: () => void;
}) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const [broken, setBroken] = useState<string | null>(null);
  // What is no JSON yet is no draft either, and was typed all the same.
  useUnsaved(broken !== null);
  const [attempt, setAttempt] = useState<Error | null>(null);
  const limits = limitsIn(draft);
  const [open, setOpen] = useOpenLimit(error, limits.length);
  const found = broken === null ? problems : [{ field: 'json', problem: broken }];
  const change = (next: LimitDraft) => {
    setAttempt(null);
    onChange(next);
  };
  const send = () => {
    if (found.length === 0) return onSubmit();
    const [place] = found.map(placeOf);
    if (place !== undefined && place !== null) setOpen(place);
    setAttempt(new Error('Put right what is marked, then save.'));
  };
  const show = (next: 'form' | 'json') => {
    setBroken(null);
    setView(next);
  };
  return (
    <div className="bench">
      <Form onSubmit={send} submit={submit} busy={isPending} error={attempt ?? error} found={found}>
        <Tabs label="How to write it" tabs={views} current={view} onChange={show}>
          {view === 'json' ? (
            <JsonView {...{ draft, problems: found, onChange: change, onBroken: setBroken }} />
          ) : (
            <div className="stack">
              {fields}
              <OtherProblems problems={found} />
              <LimitsEditor
                {...{ limits, open, allowGlobal, onOpen: setOpen }}
                onChange={(next) => change({ ...draft, limits: next })}
              />
            </div>
          )}
        </Tabs>
        {onReload && isConflict(error) && (
          <div className="row">
            <Button icon="refresh" onClick={onReload}>
              Load the newest, and drop my changes
            </Button>
          </div>
        )}
      </Form>
      <Preview limits={limits} open={open} onOpen={setOpen} />
    </div>
  );
}

const shown = /^(name|resource|costs?|max_cost|mode|tenant_id|json|limits\[\d+\])(\.|$)/;

/** What is wrong with no field in particular, or with one that was written by hand. */
function OtherProblems({ problems }: { readonly problems: readonly FieldProblem[] }) {
  const others = problems.filter(({ field }) => !shown.test(field));
  return others.map(({ field, problem }) => (
    <p key={field} className="form-error">
      <code>{field}</code> {problem}
    </p>
  ));
}

/** Which limit is open; the one that the service refused is, so that it can be seen why. */
function useOpenLimit(error: unknown, count: number) {
  const [open, setOpen] = useState<number | null>(0);
  const [seen, setSeen] = useState<unknown>(null);
  if (error !== seen) {
    setSeen(error);
    const [place = null] = fieldErrorsOf(error).map(placeOf);
    if (place !== null) setOpen(place);
  }
  return [open !== null && open < count ? open : null, setOpen] as const;
}
