import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { count } from '../../../ui/words.ts';
import type { Pool } from './pool.ts';

export function PoolsTable({
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
