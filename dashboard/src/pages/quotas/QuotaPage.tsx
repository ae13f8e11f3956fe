import './quotas.css';
import { Link, useParams } from 'wouter';
import { useObject } from '../../api/queries.ts';
import type { Tenant } from '../../api/objects.ts';
import { Page } from '../../ui/Page.tsx';
import { QuotaView } from './QuotaView.tsx';

/** The quota of one tenant. */
export default function QuotaPage() {
  const { tenantId = '' } = useParams();
  const { data: tenant } = useObject<Tenant>('tenants', tenantId);
  return (
    <Page title={tenant?.name ?? 'Quota'} back={<Link href="/quotas">Quotas</Link>}>
      <QuotaView key={tenantId} tenantId={tenantId} />
    </Page>
  );
}
