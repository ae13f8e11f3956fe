import type { Tenant } from '../../../api/objects.ts';
import { useMay } from '../may.ts';
import { Danger } from './Danger.tsx';
import { Details } from './Details.tsx';
import { LimitsNow } from './LimitsNow.tsx';
import { QuotaNow } from './QuotaNow.tsx';
import { Today } from './Today.tsx';

export function OverviewTab({ tenant }: { readonly tenant: Tenant }) {
  const may = useMay();
  return (
    <div className="stack">
      {tenant.status === 'suspended' && (
        <p className="notice tone-bad">Suspended: every check of this tenant is refused.</p>
      )}
      <div className="cards tenant-cards">
        <Details tenant={tenant} />
        <div className="stack">
          <Today tenant={tenant} />
          <QuotaNow tenant={tenant} />
        </div>
      </div>
      <LimitsNow tenant={tenant} />
      {may.changeLimits && <Danger tenant={tenant} />}
    </div>
  );
}
