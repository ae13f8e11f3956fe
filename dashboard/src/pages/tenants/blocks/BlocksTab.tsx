import { useState } from 'react';
import { useList } from '../../../api/queries.ts';
import type { Tenant } from '../../../api/objects.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { useMay } from '../may.ts';
import type { Block } from '../objects.ts';
import { Rows } from '../Rows.tsx';
import { BlockTable } from './BlockTable.tsx';
import { NewBlock } from './NewBlock.tsx';

/** Who is kept out, or let through whatever the limits say. */
export function BlocksTab({ tenant }: { readonly tenant: Tenant }) {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const list = useList<Block>('blocks', { tenant_id: tenant.id });
  return (
    <Card
      flush
      title="Blocks"
      about="A block refuses every check of a caller; a bypass lets it through whatever the limits say."
      actions={
        may.changeOwn && (
          <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
            New block
          </Button>
        )
      }
    >
      <Rows list={list}>
        <BlockTable blocks={list.items} />
      </Rows>
      <MoreRows list={list} />
      {isAdding && <NewBlock tenantId={tenant.id} onClose={() => setAdding(false)} />}
    </Card>
  );
}
