import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { ifMatch } from '../../../api/if-match.ts';
import type { Override } from '../objects.ts';
import { whomInWords } from './override-words.ts';

export function DeleteOverride({
  override,
  onClose,
}: {
  readonly override: Override;
  readonly onClose: () => void;
}) {
  const change = useChange({
    run: () => admin('DELETE', `overrides/${override.id}`, ifMatch(override)),
    touches: ['overrides', 'counters'],
    done: () => `${override.limit} has its own numbers again.`,
  });
  return (
    <Confirm
      title={`Delete the override of ${override.limit}?`}
      action="Delete override"
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      From the next check on, {whomInWords(override)} is held to the limit as it is. What is used
      stays used.
    </Confirm>
  );
}
