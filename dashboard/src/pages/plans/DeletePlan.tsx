import type { Plan } from '../../api/objects.ts';
import { ifMatch } from '../../api/if-match.ts';
import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { Confirm } from '../../ui/dialog/Confirm.tsx';

export function DeletePlan({
  plan,
  onClose,
  onDeleted,
}: {
  readonly plan: Plan;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}) {
  const change = useChange({
    run: () => admin('DELETE', `plans/${plan.id}`, ifMatch(plan)),
    touches: ['plans', 'publications'],
    done: () => `Plan ${plan.name} deleted.`,
  });
  return (
    <Confirm
      title={`Delete plan ${plan.name}?`}
      action="Delete plan"
      onConfirm={async () => {
        await change.mutateAsync(undefined);
        onDeleted?.();
      }}
      onClose={onClose}
    >
      Its limits are gone for good, and what was counted under them. While tenants are on it, it
      stays: move them to another plan first.
    </Confirm>
  );
}
