import type { ReactNode } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { useObject } from '../../api/queries.ts';
import type { Tenant } from '../../api/objects.ts';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { BlocksTab } from './blocks/BlocksTab.tsx';
import { KeysTab } from './keys/KeysTab.tsx';
import { OverridesTab } from './overrides/OverridesTab.tsx';
import { OverviewTab } from './overview/OverviewTab.tsx';
import { StatusBadge } from './StatusBadge.tsx';
import { UsageTab } from './usage/UsageTab.tsx';
import './tenants.css';

const tabs = [
  { id: 'overview', label: 'Overview' },
  { id: 'usage', label: 'Usage' },
  { id: 'keys', label: 'Keys' },
  { id: 'overrides', label: 'Overrides' },
  { id: 'blocks', label: 'Blocks' },
] as const;
type TabId = (typeof tabs)[number]['id'];

const panels: Readonly<Record<TabId, (props: { readonly tenant: Tenant }) => ReactNode>> = {
  overview: OverviewTab,
  usage: UsageTab,
  keys: KeysTab,
  overrides: OverridesTab,
  blocks: BlocksTab,
};

/** All there is about one tenant, for the platform and for the tenant itself. */
export function TenantView({
  tenantId,
  tab,
  onTab,
  back,
}: {
  readonly tenantId: string;
  readonly tab: string | undefined;
  readonly onTab: (id: TabId) => void;
  readonly back?: ReactNode;
}) {
  const query = useObject<Tenant>('tenants', tenantId);
  const current = tabs.find(({ id }) => id === tab)?.id ?? 'overview';
  const Panel = panels[current];
  return (
    <Page
      title={query.data?.name ?? 'Tenant'}
      about={query.data && <Standing tenant={query.data} />}
      back={back}
    >
      {isMissing(query.error) ? (
        <Empty icon="tenant" title="There is no such tenant">
          It may have been deleted. Its address is that of its id.
        </Empty>
      ) : (
        <Loaded query={query} lines={8}>
          {(tenant) => (
            <Tabs label="About this tenant" tabs={tabs} current={current} onChange={onTab}>
              <Panel tenant={tenant} />
            </Tabs>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Standing({ tenant: { status, tier, id } }: { readonly tenant: Tenant }) {
  return (
    <span className="row">
      <StatusBadge status={status} />
      <span>{tier}</span>
      <span className="mono tenant-id">{id}</span>
    </span>
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404;
}
