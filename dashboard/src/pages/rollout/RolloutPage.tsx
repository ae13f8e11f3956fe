import './rollout.css';
import { useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { TenantField } from '../../components/TenantField.tsx';
import { TenantText } from '../../components/TenantText.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import { definerOf, percent, type Report, toneOf, verdictInWords } from './report.ts';

/** Limits on trial, and whether each is ready for its next stage. */
export default function RolloutPage() {
  const { tenantId: ownId } = useSession();
  const [tenantId, setTenantId] = useState('');
  const list = useList<Report>('rollout', { tenant_id: ownId ?? tenantId });
  return (
    <Page
      title="Rollout"
      about="A limit begins in shadow, where it counts and refuses nobody; then it warns, then it refuses. Here is what each would have done."
    >
      <Card flush>
        {ownId === null && (
          <div className="filters filters-inset">
            <TenantField
              value={tenantId}
              none="All tenants"
              hint="Of one tenant, limits that nobody has called yet are shown too."
              onChange={setTenantId}
            />
          </div>
        )}
        <Loaded query={list}>{() => <Reports reports={list.items} />}</Loaded>
        <MoreRows list={list} />
      </Card>
    </Page>
  );
}

function Reports({ reports }: { readonly reports: readonly Report[] }) {
  return (
    <Table
      caption="Limits on trial"
      rows={reports}
      rowKey={(report) => `${report.tenant_id} ${report.limit} ${definerOf(report)}`}
      empty={
        <Empty icon="rollout" title="No limit is on trial">
          Set the mode of a limit to shadow, in its plan, its policy or under Settings, and send
          calls. What it would have refused appears here within seconds.
        </Empty>
      }
      columns={[
        {
          title: 'Limit',
          cell: (report) => (
            <div className="rollout-name">
              <Link href={addressOf(report)}>{report.limit}</Link>
              <p className="hint">
                <TenantText id={report.tenant_id} /> · {definerOf(report)}
              </p>
            </div>
          ),
        },
        { title: 'Stage', cell: (report) => <StageCell report={report} /> },
        { title: 'Calls', align: 'right', cell: ({ calls }) => count(calls) },
        {
          title: 'Subjects refused',
          align: 'right',
          cell: ({ share_of_subjects: share }) => percent(share),
        },
        {
          title: 'Calls refused',
          align: 'right',
          cell: ({ share_of_calls: share }) => percent(share),
        },
        { title: 'Verdict', cell: ({ verdict }) => <VerdictCell {...verdict} /> },
      ]}
    />
  );
}

function addressOf({ tenant_id: tenantId, limit }: Report): string {
  return `/rollout/${tenantId}/${limit}`;
}

function StageCell({ report: { stage, since } }: { readonly report: Report }) {
  if (stage === null) return <span className="quiet">gone</span>;
  return (
    <div className="rollout-stage">
      <Badge tone={toneOf(stage)}>{stage}</Badge>
      {since !== null && (
        <p className="hint">
          since <Time at={since} />
        </p>
      )}
    </div>
  );
}

function VerdictCell({ verdict, reason }: Report['verdict']) {
  const { label, tone } = verdictInWords(verdict);
  return (
    <div className="rollout-verdict">
      <Badge tone={tone}>{label}</Badge>
      <p className="hint">{reason}</p>
    </div>
  );
}
