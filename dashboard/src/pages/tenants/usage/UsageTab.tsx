import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { admin } from '../../../api/request.ts';
import { Card } from '../../../ui/Card.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { ofCalls, ofLimit } from './bands.ts';
import { LimitCountsTable } from './LimitCountsTable.tsx';
import { fromOf, rangeOf, stepOf } from './ranges.ts';
import type { UsageReport } from './report.ts';
import { UsageChart } from './UsageChart.tsx';
import { UsageChoice, type Choice } from './UsageChoice.tsx';
import { UsageTable } from './UsageTable.tsx';

const refetchMs = 15_000;

/** What became of calls over time, in all or by what one limit made of them. */
export function UsageTab({ tenant }: { readonly tenant: Tenant }) {
  const [choice, setChoice] = useState<Choice>({ range: 'hour', step: 'minute', limit: '' });
  const query = useUsage(tenant.id, choice);
  const shown = choice.limit === '' ? ofCalls : ofLimit;
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
                <>
                  <UsageChart report={report} shown={shown} />
                  <UsageTable report={report} shown={shown} />
                </>
              )}
            </div>
          </Card>
          {report.limits.length > 0 && <LimitCountsTable report={report} />}
        </div>
      )}
    </Loaded>
  );
}

/** What was shown stays until its successor is there. */
function useUsage(tenantId: string, { range: rangeId, step: wanted, limit }: Choice) {
  const range = rangeOf(rangeId);
  const step = stepOf(range, wanted);
  return useQuery({
    queryKey: keyOf('usage', tenantId, range.id, step, limit),
    queryFn: ({ signal }) =>
      admin<UsageReport>('GET', 'usage', {
        query: {
          tenant_id: tenantId,
          step,
          from: fromOf(range, step, Date.now()),
          limit_name: limit,
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
