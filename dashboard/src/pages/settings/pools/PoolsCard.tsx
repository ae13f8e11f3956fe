import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Loaded } from '../../../ui/States.tsx';
import type { Pool } from './pool.ts';
import { PoolDialog } from './PoolDialog.tsx';
import { PoolsTable } from './PoolsTable.tsx';

/** Connections, and perhaps a Redis, that some tenants have to themselves. */
export function PoolsCard() {
  const { canWrite } = useSession();
  const list = useList<Pool>('pools');
  const [edited, setEdited] = useState<Pool | 'new' | null>(null);
  const [removed, setRemoved] = useState<Pool | null>(null);
  const remove = useChange({
    run: ({ id }: Pool) => admin('DELETE', `pools/${id}`),
    touches: ['pools', 'audit'],
    done: (_, { name }) => `Pool ${name} is deleted.`,
  });
  return (
    <Card
      title="Pools"
      about="So that one tenant’s load does not slow another’s."
      flush
      actions={
        canWrite && (
          <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
            New pool
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {() => (
          <PoolsTable
            pools={list.items}
            {...(canWrite && { onEdit: setEdited, onRemove: setRemoved })}
          />
        )}
      </Loaded>
      <MoreRows list={list} />
      {edited && (
        <PoolDialog pool={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {removed && (
        <Confirm
          title={`Delete the pool ${removed.name}?`}
          action="Delete pool"
          typed={removed.name}
          onConfirm={() => remove.mutateAsync(removed)}
          onClose={() => setRemoved(null)}
        >
          It can be deleted once no tenant is in it.
        </Confirm>
      )}
    </Card>
  );
}
