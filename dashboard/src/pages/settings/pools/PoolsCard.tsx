import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';
import type { Pool } from './pool.ts';
import { PoolDialog } from './PoolDialog.tsx';

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
          <Pools
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

function Pools({
  pools,
  onEdit,
  onRemove,
}: {
  readonly pools: readonly Pool[];
  readonly onEdit?: (pool: Pool) => void;
  readonly onRemove?: (pool: Pool) => void;
}) {
  return (
    <Table
      caption="Pools"
      rows={pools}
      rowKey={({ id }) => id}
      empty={<Empty icon="usage" title="All tenants share one pool" />}
      columns={[
        { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
        {
          title: 'Redis',
          cell: ({ redis_url: url }) => (url === null ? 'the shared one' : 'one of its own'),
        },
        { title: 'Tiers', cell: ({ tiers }) => tiers.join(', ') || 'by name only' },
        { title: 'Connections', align: 'right', cell: ({ connections }) => count(connections) },
        {
          title: 'In flight',
          align: 'right',
          cell: ({ max_in_flight: most }) => `${count(most)} a tenant`,
        },
        {
          title: 'Actions',
          isControls: true,
          cell: (pool) =>
            onEdit &&
            onRemove && (
              <>
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Change ${pool.name}`}
                  onClick={() => onEdit(pool)}
                >
                  Change
                </Button>
                {pool.name !== 'default' && (
                  <Button
                    size="small"
                    variant="quiet"
                    aria-label={`Delete ${pool.name}`}
                    onClick={() => onRemove(pool)}
                  >
                    Delete
                  </Button>
                )}
              </>
            ),
        },
      ]}
    />
  );
}
