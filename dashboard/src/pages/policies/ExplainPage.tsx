import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { TenantField } from '../../components/TenantField.tsx';
import { admin } from '../../api/request.ts';
import type { LimitDraft } from '../../limits/draft.ts';
import { bindTo } from '../../limits/fields/bind.ts';
import { useSession } from '../../session/session.ts';
import { Card } from '../../ui/Card.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty } from '../../ui/States.tsx';
import type { Explanation } from './explanation.ts';
import { Explained } from './Explained.tsx';
import { QuestionFields } from './QuestionFields.tsx';
import '../../limits/limits.css';
import './policies.css';

const noTenant = { field: 'tenant_id', problem: 'is needed: name a tenant' };

export default function ExplainPage() {
  const { tenantId } = useSession();
  const [chosenId, choose] = useState('');
  const [draft, setDraft] = useState<LimitDraft>({});
  const asking = useMutation({
    mutationFn: (body: LimitDraft) => admin<Explanation>('POST', 'policies/explain', { body }),
  });
  const [attempt, setAttempt] = useState<Error | null>(null);
  const whose = tenantId ?? (chosenId === '' ? null : chosenId);
  const missing = attempt && whose === null ? [noTenant] : [];
  const change = (next: LimitDraft) => {
    asking.reset();
    setAttempt(null);
    setDraft(next);
  };
  const ask = () => {
    setAttempt(whose === null ? new Error('Whose call is it?') : null);
    if (whose !== null) asking.mutate({ tenant_id: whose, ...draft });
  };
  return (
    <Page
      title="Explain a check"
      about="Which plan, policies and limits apply to a call, with which numbers, and why. Nothing is decided and nothing is charged."
      back={<Link href="/policies">Policies</Link>}
    >
      <div className="explain">
        <Card title="The check">
          <Form
            submit="Explain"
            busy={asking.isPending}
            error={attempt ?? asking.error}
            found={missing}
            onSubmit={ask}
          >
            {tenantId === null && (
              <TenantField value={chosenId} none="Choose a tenant" onChange={choose} />
            )}
            <QuestionFields bind={bindTo(draft, '', change)} />
          </Form>
        </Card>
        <section className="stack" aria-label="Explanation" aria-live="polite">
          {asking.data ? (
            <Explained explanation={asking.data} />
          ) : (
            <Empty icon="search" title="Nothing asked yet">
              Say which call is meant, and see here what limits it.
            </Empty>
          )}
        </section>
      </div>
    </Page>
  );
}
