import { useState } from 'react';
import { useList } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Filters } from '../../../ui/form/Filters.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { useSettled } from '../list/settled.ts';
import { useMay } from '../may.ts';
import type { Override } from '../objects.ts';
import { Rows } from '../Rows.tsx';
import { ClearOverrides } from './ClearOverrides.tsx';
import { NewOverride } from './NewOverride.tsx';
import { filters, noFilter, type OverrideFilter } from './filters.ts';
import { OverrideTable } from './OverrideTable.tsx';

const settleMs = 200;

/** Other numbers for a limit: for some callers, for a while. */
export function OverridesTab({ tenant }: { readonly tenant: Tenant }) {
  const may = useMay();
  const [narrowed, narrow] = useState<OverrideFilter>(noFilter);
  const [asked, setAsked] = useState<'new' | 'clear' | null>(null);
  const close = () => setAsked(null);
  const settled = useSettled(narrowed, settleMs);
  const list = useList<Override>('overrides', { tenant_id: tenant.id, ...settled });
  return (
    <Card
      flush
      title="Overrides"
      about={
        may.isPlatform
          ? 'Of several that apply the more exact one counts, then the newer.'
          : 'Other numbers for a limit of yours. They are made by who runs this service.'
      }
      actions={
        may.changeLimits && (
          <Button variant="primary" icon="plus" onClick={() => setAsked('new')}>
            New override
          </Button>
        )
      }
    >
      <Filters label="Overrides" {...{ filters }} value={narrowed} onChange={narrow} isInset>
        {may.changeLimits && list.items.length > 0 && (
          <Button icon="trash" onClick={() => setAsked('clear')}>
            Delete these…
          </Button>
        )}
      </Filters>
      <Rows list={list}>
        <OverrideTable tenant={tenant} overrides={list.items} />
      </Rows>
      <MoreRows list={list} />
      {asked === 'new' && <NewOverride tenant={tenant} onClose={close} />}
      {asked === 'clear' && (
        <ClearOverrides tenantId={tenant.id} filters={settled} list={list} onClose={close} />
      )}
    </Card>
  );
}
