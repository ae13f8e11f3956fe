import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { ApiKey } from '../objects.ts';

export function RevokeKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const { id, name, last_used_at: usedAt } = apiKey;
  // Whatever else was changed of it: who revokes a key means it.
  const change = useChange({
    run: () => admin('DELETE', `keys/${id}`),
    touches: ['keys'],
    done: () => `${name} is revoked.`,
  });
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke key"
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      <p>From the next check on, whoever uses it is refused with 401. This can not be undone.</p>
      <p className="quiet">
        {usedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was used <Time at={usedAt} />.
          </>
        )}
      </p>
    </Confirm>
  );
}
