import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Plan } from '../../api/objects.ts';
import { useChange, useObject } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { newLimit, type LimitDraft } from '../../limits/draft.ts';
import { useMayWrite } from '../../limits/may-write.ts';
import { OwnerField, useOwnerChoice } from '../../limits/owner/OwnerField.tsx';
import type { Changed } from '../../limits/published/publication.ts';
import { Page } from '../../ui/Page.tsx';
import { NotFoundPage } from '../NotFoundPage.tsx';
import { PlanEditor } from './PlanEditor.tsx';
import { type Template, TemplateChoice } from './TemplateChoice.tsx';

const blank = { name: '', limits: [newLimit([])] };

export default function NewPlanPage() {
  const [, navigate] = useLocation();
  const templates = useObject<{ readonly items: readonly Template[] }>('plans', 'templates');
  const [template, setTemplate] = useState<Template | null>(null);
  const owner = useOwnerChoice();
  const mayWrite = useMayWrite();
  const change = useChange({
    run: (draft: LimitDraft) =>
      admin<Changed<Plan>>('POST', 'plans', {
        body: { ...draft, tenant_id: owner.tenantId },
      }),
    touches: ['plans', 'publications'],
    done: ({ name }) => `Plan ${name} made.`,
  });
  const save = (draft: LimitDraft) =>
    change.mutate(draft, { onSuccess: ({ id }) => navigate(`/plans/${id}`) });
  if (!mayWrite) return <NotFoundPage />;
  return (
    <Page title="New plan" back={<Link href="/plans">Plans</Link>}>
      <TemplateChoice
        templates={templates.data?.items ?? []}
        chosen={template}
        onChoose={setTemplate}
      />
      <PlanEditor
        key={template?.name}
        start={template ?? blank}
        fields={<OwnerField choice={owner} />}
        problems={owner.problems}
        submit="Make plan"
        saving={change}
        onSave={save}
      />
    </Page>
  );
}
