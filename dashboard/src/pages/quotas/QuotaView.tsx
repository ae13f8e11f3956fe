import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { useObject } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { newDraft } from './draft.ts';
import type { QuotaReport } from './quota.ts';
import { QuotaEditor } from './QuotaEditor.tsx';

/** A tenant's quota: what is used of it, dealt out and changed in place. */
export function QuotaView({ tenantId }: { readonly tenantId: string }) {
  const report = useObject<QuotaReport>('quotas', tenantId);
  const isMissing = report.error instanceof ApiProblem && report.error.status === 404;
  if (isMissing) return <Missing tenantId={tenantId} />;
  return (
    <Loaded query={report} lines={8}>
      {(data) => <QuotaEditor tenantId={tenantId} report={data} />}
    </Loaded>
  );
}

function Missing({ tenantId }: { readonly tenantId: string }) {
  const [isNew, setIsNew] = useState(false);
  if (!isNew) return <NoQuota onMake={() => setIsNew(true)} />;
  return <QuotaEditor tenantId={tenantId} report={null} start={newDraft} />;
}

function NoQuota({ onMake }: { readonly onMake: () => void }) {
  const { canWrite, tenantId } = useSession();
  const mayMake = canWrite && tenantId === null;
  return (
    <Card>
      <Empty
        icon="quota"
        title="No quota"
        action={
          mayMake && (
            <Button variant="primary" icon="plus" onClick={onMake}>
              Set a quota
            </Button>
          )
        }
      >
        {mayMake
          ? 'Only the limits of the plan hold. A quota caps what is used in a calendar period, and can be dealt out to teams and people.'
          : 'Only the limits of the plan hold. Whoever runs the platform can set one.'}
      </Empty>
    </Card>
  );
}
