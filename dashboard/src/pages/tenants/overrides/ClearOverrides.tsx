import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { count } from '../../../ui/words.ts';
import type { OverrideFilter } from './filters.ts';

type Cleared = { readonly deleted: number; readonly more: boolean };

/** All that the filters find, also those that are not shown yet. */
export function ClearOverrides({
  tenantId,
  filters,
  list,
  onClose,
}: {
  readonly tenantId: string;
  readonly filters: OverrideFilter;
  readonly list: { readonly items: readonly unknown[]; readonly hasNextPage: boolean };
  readonly onClose: () => void;
}) {
  const { limit_name: limit, subject, status } = filters;
  const query = { tenant_id: tenantId, limit, subject, status };
  const change = useChange({
    run: () => clearAll(query),
    touches: ['overrides', 'counters'],
    done: (deleted) => `${count(deleted)} deleted.`,
  });
  const { items, hasNextPage } = list;
  const number = hasNextPage ? `more than ${count(items.length)}` : count(items.length);
  return (
    <Confirm
      title="Delete all of these overrides?"
      action={`Delete ${hasNextPage ? 'all' : number}`}
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      {`The filters find ${number}. From the next check on, the limits have their own numbers again. This can not be undone.`}
    </Confirm>
  );
}

/** The service deletes up to a thousand at once, and says whether others are left. */
async function clearAll(query: Readonly<Record<string, string>>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const answer = await admin<Cleared>('DELETE', 'overrides', { query });
    deleted += answer.deleted;
    if (!answer.more) return deleted;
  }
}
