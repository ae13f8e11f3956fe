import { messageOf } from '../../api/problem.ts';
import { Button } from '../../ui/Button.tsx';
import type { QuotaDraft } from './draft.ts';
import { OverAllocation } from './OverAllocation.tsx';

/** Stays in sight while there is something to save. */
export function SaveBar({
  isNew,
  isWrong,
  over,
  save,
  onSave,
  onDiscard,
}: {
  readonly isNew: boolean;
  /** What is typed can't be saved, and says why where it stands. */
  readonly isWrong: boolean;
  /** What promises more than there is. */
  readonly over: QuotaDraft | null;
  readonly save: { readonly isPending: boolean; readonly error: unknown };
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}) {
  const state = isNew ? 'This quota is not saved yet.' : 'There are unsaved changes.';
  const isBlocked = isWrong || (over !== null && !over.overcommit);
  return (
    <div className="save-bar" role="region" aria-label="Unsaved changes">
      {over && <OverAllocation draft={over} />}
      <p className="quiet">{isWrong ? 'What is marked red has to be put right first.' : state}</p>
      {save.error !== null && (
        <p className="form-error" role="alert">
          {messageOf(save.error)}
        </p>
      )}
      <div className="actions">
        <Button onClick={onDiscard}>Discard</Button>
        <Button variant="primary" busy={save.isPending} disabled={isBlocked} onClick={onSave}>
          Save quota
        </Button>
      </div>
    </div>
  );
}
