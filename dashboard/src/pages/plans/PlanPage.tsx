import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Plan } from '../../api/objects.ts';
import { useChange, useObject } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { LimitDraft } from '../../limits/draft.ts';
import { LimitsView } from '../../limits/LimitsView.tsx';
import { useMayWrite } from '../../limits/may-write.ts';
import { Owner } from '../../limits/owner/Owner.tsx';
import type { Changed } from '../../limits/published/publication.ts';
import { PublicationNotice } from '../../limits/published/PublicationNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Loaded } from '../../ui/States.tsx';
import { DeletePlan } from './DeletePlan.tsx';
import { PlanEditor } from './PlanEditor.tsx';

export default function PlanPage() {
  const { id = '' } = useParams();
  const query = useObject<Plan>('plans', id);
  return (
    <Loaded query={query} lines={8}>
      {(plan) => (
        <ShownPlan
          key={plan.id}
          plan={plan}
          reload={async () => (await query.refetch()).data ?? plan}
        />
      )}
    </Loaded>
  );
}

function ShownPlan({
  plan,
  reload,
}: {
  readonly plan: Plan;
  readonly reload: () => Promise<Plan>;
}) {
  const mayWrite = useMayWrite();
  const [, navigate] = useLocation();
  const [isDoomed, setDoomed] = useState(false);
  return (
    <Page
      title={plan.name}
      about={
        <>
          Plan for <Owner tenantId={plan.tenant_id} />
        </>
      }
      back={<Link href="/plans">Plans</Link>}
      actions={
        mayWrite && (
          <Button icon="trash" onClick={() => setDoomed(true)}>
            Delete
          </Button>
        )
      }
    >
      {plan.tenant_id === null && <PublicationNotice />}
      {mayWrite ? <EditedPlan {...{ plan, reload }} /> : <LimitsView limits={plan.limits} />}
      {isDoomed && (
        <DeletePlan
          plan={plan}
          onClose={() => setDoomed(false)}
          onDeleted={() => navigate('/plans', { replace: true })}
        />
      )}
    </Page>
  );
}

/** The version that is sent is the one that was edited, whatever has been loaded since. */
function EditedPlan({ plan, reload }: Parameters<typeof ShownPlan>[0]) {
  const [base, setBase] = useState({ plan, round: 0 });
  const change = useChange({
    run: async (draft: LimitDraft) => {
      const body = { ...draft, version: base.plan.version };
      const saved = await admin<Changed<Plan>>('PATCH', `plans/${plan.id}`, { body });
      // At once: who writes on while lists are read again must not be told of a conflict with themselves.
      setBase(({ round }) => ({ plan: saved, round }));
      return saved;
    },
    touches: ['plans', 'publications'],
    done: ({ name, published }) =>
      published ? `Plan ${name} saved: it counts from the next check on.` : `Plan ${name} saved.`,
  });
  const startOver = async () => {
    const newest = await reload();
    change.reset();
    setBase(({ round }) => ({ plan: newest, round: round + 1 }));
  };
  return (
    <PlanEditor
      key={base.round}
      start={base.plan}
      submit="Save plan"
      saving={change}
      onSave={(draft) => change.mutate(draft)}
      onReload={() => void startOver()}
    />
  );
}
