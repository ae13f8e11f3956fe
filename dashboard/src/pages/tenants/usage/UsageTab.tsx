import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { keyOf } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';
import { Card } from '../../../ui/Card.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { hues } from '../../../ui/chart/hues.ts';
import { linesOf } from './lines.ts';
import { fromOf, rangeOf, stepOf } from './ranges.ts';
import type { UsageReport } from './report.ts';
import { Sums } from './Sums.tsx';
import { UsageChart } from './UsageChart.tsx';
import { UsageChoice, type Choice } from './UsageChoice.tsx';
import { UsageTable } from './UsageTable.tsx';

const refetchMs = 15_000;

/** What became of calls over time, in all or by what one limit made of them; or by resource. */
export function UsageTab({ tenant }: { readonly tenant: Tenant }) {
  const [choice, setChoice] = useState<Choice>({
    range: 'hour',
    step: 'minute',
    limit: '',
    split: 'outcome',
  });
  const query = useUsage(tenant.id, choice);
  return (
    <Loaded query={query} lines={8}>
      {(report) => (
        <div className="stack">
          <Card title="Calls over time" about={report.summary}>
            <div className="stack">
              <UsageChoice
                value={choice}
                onChange={setChoice}
                limits={report.limits.map(({ name }) => name)}
              />
              {isQuiet(report) ? (
                <Empty icon="usage" title="No calls in this time">
                  What is asked about this tenant shows up within seconds.
                </Empty>
              ) : (
                <Figures report={report} />
              )}
            </div>
          </Card>
          <Sums report={report} />
        </div>
      )}
    </Loaded>
  );
}

function Figures({ report }: { readonly report: UsageReport }) {
  const lines = useMemo(() => linesOf(report), [report]);
  return (
    <>
      <UsageChart report={report} lines={lines} />
      <UsageTable lines={lines} step={report.step} />
    </>
  );
}

/** What was shown stays until its successor is there. */
function useUsage(tenantId: string, { range: rangeId, step: wanted, limit, split }: Choice) {
  const range = rangeOf(rangeId);
  const step = stepOf(range, wanted);
  return useQuery({
    queryKey: keyOf('usage', tenantId, range.id, step, limit, split),
    queryFn: ({ signal }) =>
      admin<UsageReport>('GET', 'usage', {
        query: {
          tenant_id: tenantId,
          step,
          from: fromOf(range, step, Date.now()),
          limit_name: limit,
          ...(split === 'resource' && { group_by: 'resource', top: hues.length }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

function isQuiet({ totals }: UsageReport): boolean {
  return Object.values(totals).every((total) => total === 0);
}
