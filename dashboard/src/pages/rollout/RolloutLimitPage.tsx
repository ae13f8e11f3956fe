import './rollout.css';
import { useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { keyOf } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { Page as Rows } from '../../api/objects.ts';
import { TenantText } from '../../components/TenantText.tsx';
import { Card } from '../../ui/Card.tsx';
import { SelectField } from '../../ui/form/inputs.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { definerOf, type FullReport } from './report.ts';
import { ReportView } from './ReportView.tsx';

const spans = {
  day: { label: 'The last day', days: 1 },
  week: { label: 'The last 7 days', days: 7 },
  month: { label: 'The last 30 days', days: 30 },
} as const;
type Span = keyof typeof spans;
const spanOptions = Object.entries(spans).map(([value, { label }]) => ({
  value: value as Span,
  label,
}));
const dayMs = 86_400_000;

/** One limit on trial, with all that is known of it. */
export default function RolloutLimitPage() {
  const { tenantId = '', limit = '' } = useParams();
  const [span, setSpan] = useState<Span>('month');
  const reports = useReports(tenantId, limit, spans[span].days);
  return (
    <Page
      title={limit}
      about={
        <>
          A limit of <TenantText id={tenantId} />, on trial.
        </>
      }
      back={<Link href="/rollout">Rollout</Link>}
      actions={
        <SelectField
          label={<span className="hidden">Evidence of</span>}
          name="span"
          value={span}
          options={spanOptions}
          onChange={setSpan}
        />
      }
    >
      <Loaded query={reports} lines={8}>
        {({ items }) => (
          <>
            {items.length === 0 && <NoReport />}
            {items.map((report) => (
              <ReportView key={definerOf(report)} report={report} isOneOf={items.length} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function useReports(tenantId: string, limit: string, days: number) {
  return useQuery({
    queryKey: keyOf('rollout', tenantId, limit, days),
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - days * dayMs).toISOString();
      const query = { tenant_id: tenantId, limit_name: limit, from };
      return admin<Rows<FullReport>>('GET', 'rollout', { query, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

function NoReport() {
  return (
    <Card>
      <Empty icon="rollout" title="No such limit is on trial">
        It was in neither shadow nor warn in this time. Its mode can be set in its plan or policy,
        or under Settings.
      </Empty>
    </Card>
  );
}
