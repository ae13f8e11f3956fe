import { useState } from 'react';
import { ifMatch } from '../../api/if-match.ts';
import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/dialog/Confirm.tsx';
import type { QuotaReport } from './quota.ts';
import { TopUpDialog } from './TopUpDialog.tsx';

/** What is done to a quota as a whole. */
export function QuotaActions({
  tenantId,
  report,
}: {
  readonly tenantId: string;
  readonly report: QuotaReport;
}) {
  const [open, setOpen] = useState<'top-up' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const remove = useChange({
    run: () => admin('DELETE', `quotas/${tenantId}`, ifMatch(report)),
    touches: ['quotas', 'audit'],
    done: () => 'Quota deleted. Only the plan’s limits hold now.',
  });
  return (
    <>
      <Button size="small" icon="plus" onClick={() => setOpen('top-up')}>
        Top up
      </Button>
      <Button size="small" variant="quiet" icon="trash" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'top-up' && <TopUpDialog {...{ tenantId, report }} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this quota?"
          action="Delete quota"
          onConfirm={() => remove.mutateAsync(undefined)}
          onClose={close}
        >
          Its teams, users and top-ups go with it, and nothing caps the period any more. What was
          counted stays counted, should it be made again.
        </Confirm>
      )}
    </>
  );
}
