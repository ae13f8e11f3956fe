import { useState } from 'react';
import { useList } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { SelectField } from '../../../ui/form/inputs.tsx';
import { useMay } from '../may.ts';
import type { ApiKey } from '../objects.ts';
import { Rows } from '../Rows.tsx';
import { KeyTable } from './KeyTable.tsx';
import { NewKey } from './NewKey.tsx';

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
  { value: '', label: 'All' },
];

/** What callers of this tenant authenticate with. */
export function KeysTab({ tenant }: { readonly tenant: Tenant }) {
  const may = useMay();
  const [status, setStatus] = useState('active');
  const [isAdding, setAdding] = useState(false);
  const list = useList<ApiKey>('keys', { tenant_id: tenant.id, status });
  return (
    <Card
      flush
      title="Keys"
      about="Callers send one as X-API-Key. We keep a salted hash of it: a lost key is replaced, never looked up."
      actions={
        may.changeOwn && (
          <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
            New key
          </Button>
        )
      }
    >
      <div className="filters filters-inset">
        <SelectField
          label="Status"
          name="status"
          value={status}
          options={statuses}
          onChange={setStatus}
        />
      </div>
      <Rows list={list}>
        <KeyTable keys={list.items} status={status} />
      </Rows>
      <MoreRows list={list} />
      {isAdding && <NewKey tenantId={tenant.id} onClose={() => setAdding(false)} />}
    </Card>
  );
}
