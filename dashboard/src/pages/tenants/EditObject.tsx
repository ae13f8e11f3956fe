import { useState, type ReactNode } from 'react';
import { ifMatch } from '../../api/if-match.ts';
import type { Stored } from '../../api/objects.ts';
import type { FieldProblem } from '../../api/problem.ts';
import { isConflict, useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { changedIn, type Sent } from './changed-in.ts';

const quicker = new Error(
  'Somebody else changed this meanwhile. Save again, and what you changed is changed in theirs.',
);

/**
 * One object, changed in place. Only what was touched is sent, and only if nobody else has changed
 * the object since it was shown; where somebody has, the same can be saved again on top of that.
 */
export function EditObject<T extends Stored, Draft>({
  noun,
  object,
  title,
  touches,
  draftOf,
  sentOf,
  problemsOf = () => [],
  onClose,
  children,
}: {
  readonly noun: string;
  /** As it is now: others may change it while the form is open. */
  readonly object: T;
  readonly title: string;
  /** Nouns that look different afterwards, besides this one. */
  readonly touches: readonly string[];
  readonly draftOf: (object: T) => Draft;
  readonly sentOf: (draft: Draft) => Sent;
  readonly problemsOf?: (draft: Draft) => readonly FieldProblem[];
  readonly onClose: () => void;
  readonly children: (draft: Draft, change: (part: Partial<Draft>) => void) => ReactNode;
}) {
  const [before] = useState(() => draftOf(object));
  const [draft, setDraft] = useState(before);
  const problems = problemsOf(draft);
  const saving = useChange({
    run: (body: Sent) => admin('PATCH', `${noun}/${object.id}`, { body, ...ifMatch(object) }),
    touches: [noun, ...touches],
    done: () => 'Saved. It counts from the next check on.',
  });
  const save = () => {
    if (problems.length > 0) return;
    const body = changedIn(sentOf(before), sentOf(draft));
    if (Object.keys(body).length === 0) return onClose();
    return saving.mutateAsync(body).then(onClose, () => {});
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit="Save"
        busy={saving.isPending}
        error={isConflict(saving.error) ? quicker : saving.error}
        found={problems}
        onSubmit={save}
        onCancel={onClose}
      >
        {children(draft, (part) => setDraft({ ...draft, ...part }))}
      </Form>
    </Dialog>
  );
}
