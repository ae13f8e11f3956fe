import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import type { Whose } from './counters.ts';

export function ResetCounter({
  limit,
  whose,
  onClose,
}: {
  readonly limit: string;
  readonly whose: Whose;
  readonly onClose: () => void;
}) {
  const change = useChange({
    run: () => admin('POST', 'counters/reset', { body: { ...whose, limit } }),
    touches: ['counters', 'quotas'],
    done: () => `${limit} starts afresh.`,
  });
  return (
    <Confirm
      title={`Reset ${limit}?`}
      action="Reset counter"
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      What is used goes back to nothing, and a penalty ends. It is noted in the audit.
    </Confirm>
  );
}
