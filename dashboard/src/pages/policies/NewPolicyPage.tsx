import { Link, useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { LimitDraft } from '../../limits/draft.ts';
import { useMayWrite } from '../../limits/may-write.ts';
import { OwnerField, useOwnerChoice } from '../../limits/owner/OwnerField.tsx';
import type { Changed } from '../../limits/published/publication.ts';
import { Page } from '../../ui/Page.tsx';
import { NotFoundPage } from '../NotFoundPage.tsx';
import { blankPolicy, type Policy } from './policy.ts';
import { PolicyEditor } from './PolicyEditor.tsx';

export default function NewPolicyPage() {
  const [, navigate] = useLocation();
  const mayWrite = useMayWrite();
  const owner = useOwnerChoice();
  const change = useChange({
    run: (draft: LimitDraft) =>
      admin<Changed<Policy>>('POST', 'policies', {
        body: { ...draft, tenant_id: owner.tenantId },
      }),
    touches: ['policies', 'publications'],
    done: ({ resource }) => `The policy for ${resource} is made.`,
  });
  if (!mayWrite) return <NotFoundPage />;
  return (
    <Page title="New policy" back={<Link href="/policies">Policies</Link>}>
      <PolicyEditor
        start={blankPolicy}
        fields={<OwnerField choice={owner} />}
        problems={owner.problems}
        isShared={owner.isShared}
        submit="Make policy"
        saving={change}
        onSave={(draft) =>
          change.mutate(draft, { onSuccess: ({ id }) => navigate(`/policies/${id}`) })
        }
      />
    </Page>
  );
}
