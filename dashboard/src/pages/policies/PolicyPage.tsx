import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { useChange, useObject } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { LimitDraft } from '../../limits/draft.ts';
import { useMayWrite } from '../../limits/may-write.ts';
import { Owner } from '../../limits/owner/Owner.tsx';
import type { Changed } from '../../limits/published/publication.ts';
import { PublicationNotice } from '../../limits/published/PublicationNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Loaded } from '../../ui/States.tsx';
import { DeletePolicy } from './DeletePolicy.tsx';
import { changeOf, draftOf, type Policy } from './policy.ts';
import { PolicyEditor } from './PolicyEditor.tsx';
import { PolicyView } from './PolicyView.tsx';

type Props = { readonly policy: Policy; readonly reload: () => Promise<Policy> };

export default function PolicyPage() {
  const { id = '' } = useParams();
  const query = useObject<Policy>('policies', id);
  return (
    <Loaded query={query} lines={8}>
      {(policy) => (
        <ShownPolicy
          key={policy.id}
          policy={policy}
          reload={async () => (await query.refetch()).data ?? policy}
        />
      )}
    </Loaded>
  );
}

function ShownPolicy({ policy, reload }: Props) {
  const mayWrite = useMayWrite();
  const [, navigate] = useLocation();
  const [isDoomed, setDoomed] = useState(false);
  return (
    <Page
      title={policy.resource}
      about={
        <>
          Policy for <Owner tenantId={policy.tenant_id} />
        </>
      }
      back={<Link href="/policies">Policies</Link>}
      actions={
        mayWrite && (
          <Button icon="trash" onClick={() => setDoomed(true)}>
            Delete
          </Button>
        )
      }
    >
      {policy.tenant_id === null && <PublicationNotice />}
      {mayWrite ? <EditedPolicy {...{ policy, reload }} /> : <PolicyView policy={policy} />}
      {isDoomed && (
        <DeletePolicy
          policy={policy}
          onClose={() => setDoomed(false)}
          onDeleted={() => navigate('/policies', { replace: true })}
        />
      )}
    </Page>
  );
}

/** The version that is sent is the one that was edited, whatever has been loaded since. */
function EditedPolicy({ policy, reload }: Props) {
  const [base, setBase] = useState({ policy, round: 0 });
  const change = useChange({
    run: async (draft: LimitDraft) => {
      const body = { ...changeOf(draft), version: base.policy.version };
      const saved = await admin<Changed<Policy>>('PATCH', `policies/${policy.id}`, { body });
      // At once: who writes on while lists are read again must not be told of a conflict with themselves.
      setBase(({ round }) => ({ policy: saved, round }));
      return saved;
    },
    touches: ['policies', 'publications'],
    done: ({ resource }) => `The policy for ${resource} is saved.`,
  });
  const startOver = async () => {
    const newest = await reload();
    change.reset();
    setBase(({ round }) => ({ policy: newest, round: round + 1 }));
  };
  return (
    <PolicyEditor
      key={base.round}
      start={draftOf(base.policy)}
      isShared={policy.tenant_id === null}
      submit="Save policy"
      saving={change}
      onSave={(draft) => change.mutate(draft)}
      onReload={() => void startOver()}
    />
  );
}
