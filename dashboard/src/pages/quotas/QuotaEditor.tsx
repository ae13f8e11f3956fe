import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/queries.ts';
import { fieldErrorsOf, FormErrors } from '../../ui/form/form-context.ts';
import { useUnsaved } from '../../leaving/leaving.ts';
import { useSession } from '../../session/session.ts';
import { Card } from '../../ui/Card.tsx';
import { CheckField } from '../../ui/form/inputs.tsx';
import { isOverAllocated, draftOf, newDraft, problemsOf, type QuotaDraft } from './draft.ts';
import { OverAllocation } from './OverAllocation.tsx';
import { QuotaActions } from './QuotaActions.tsx';
import { QuotaTree } from './QuotaTree.tsx';
import type { QuotaReport } from './quota.ts';
import { SaveBar } from './SaveBar.tsx';
import { PeriodLine } from './PeriodLine.tsx';
import { Terms } from './Terms.tsx';
import { TopUps } from './TopUps.tsx';
import { useSave } from './use-save.ts';

/** What is edited, and of which version of it: others may change it meanwhile. */
type Edited = { readonly draft: QuotaDraft; readonly version: number | null };

export function QuotaEditor({
  tenantId,
  report,
  start,
}: {
  readonly tenantId: string;
  /** Null until it is made. */
  readonly report: QuotaReport | null;
  readonly start?: QuotaDraft;
}) {
  const { canWrite, tenantId: ownId } = useSession();
  const [edited, setEdited] = useState<Edited | null>(
    start ? { draft: start, version: null } : null,
  );
  useUnsaved(edited !== null && edited.draft !== start);
  const draft = edited?.draft ?? (report ? draftOf(report) : newDraft);
  const change = (patch: Partial<QuotaDraft>) => {
    const version = edited ? edited.version : (report?.version ?? null);
    setEdited({ draft: { ...draft, ...patch }, version });
  };
  const client = useQueryClient();
  const save = useSave(tenantId, () => setEdited(null));
  const problems = edited ? problemsOf(draft) : [];
  const isOver = isOverAllocated(draft);
  const mayChangeTerms = canWrite && ownId === null;
  return (
    <FormErrors value={problems.length > 0 ? problems : fieldErrorsOf(save.error)}>
      <Card
        title="Allowance"
        about={report ? <PeriodLine report={report} /> : 'Not saved yet.'}
        actions={mayChangeTerms && report && <QuotaActions tenantId={tenantId} report={report} />}
      >
        <div className="stack">
          <QuotaTree {...{ draft, report, canWrite, mayChangeTerms }} onChange={change} />
          {canWrite && (
            <CheckField
              label="Promise parts more than the whole has (overcommit)"
              name="overcommit"
              value={draft.overcommit}
              onChange={(overcommit) => change({ overcommit })}
            />
          )}
          {isOver && !edited && <OverAllocation draft={draft} />}
        </div>
      </Card>
      <Terms {...{ draft, canWrite: mayChangeTerms }} onChange={change} />
      {report && report.top_ups.length > 0 && <TopUps topUps={report.top_ups} />}
      {edited && (
        <SaveBar
          isNew={report === null}
          isWrong={problems.length > 0}
          over={isOver ? draft : null}
          save={save}
          onSave={() => save.mutate(edited)}
          onDiscard={() => {
            save.reset();
            // Perhaps it could not be saved because somebody else has changed it.
            void client.invalidateQueries({ queryKey: keyOf('quotas', tenantId) });
            setEdited(start && !report ? { draft: start, version: null } : null);
          }}
        />
      )}
    </FormErrors>
  );
}
