import { ifMatch } from '../../api/if-match.ts';
import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { Confirm } from '../../ui/dialog/Confirm.tsx';
import type { Policy } from './policy.ts';

export function DeletePolicy({
  policy,
  onClose,
  onDeleted,
}: {
  readonly policy: Policy;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}) {
  const change = useChange({
    run: () => admin('DELETE', `policies/${policy.id}`, ifMatch(policy)),
    touches: ['policies', 'publications'],
    done: () => `The policy for ${policy.resource} is deleted.`,
  });
  return (
    <Confirm
      title="Delete this policy?"
      action="Delete policy"
      onConfirm={async () => {
        await change.mutateAsync(undefined);
        onDeleted?.();
      }}
      onClose={onClose}
    >
      <code>{policy.resource}</code> then costs what a wider policy says, else 1, and the limits
      that this one adds end. That can’t be undone.
    </Confirm>
  );
}
