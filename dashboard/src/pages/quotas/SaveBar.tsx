import { messageOf } from '../../api/problem.ts';
import { Button } from '../../ui/Button.tsx';

/** Stays in sight while there is something to save. */
export function SaveBar({
  isNew,
  isBlocked,
  save,
  onSave,
  onDiscard,
}: {
  readonly isNew: boolean;
  /** What is typed can't be saved, and the page says why. */
  readonly isBlocked: boolean;
  readonly save: { readonly isPending: boolean; readonly error: unknown };
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}) {
  return (
    <div className="save-bar" role="region" aria-label="Unsaved changes">
      <p className="quiet">
        {isBlocked
          ? 'What is marked red has to be put right first.'
          : isNew
            ? 'This quota is not saved yet.'
            : 'There are unsaved changes.'}
      </p>
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
