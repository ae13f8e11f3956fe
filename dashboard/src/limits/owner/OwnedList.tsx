import { useState, type ReactNode } from 'react';
import { useList } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Table, type Column } from '../../ui/Table.tsx';
import { useMayWrite } from '../may-write.ts';
import { PublicationNotice } from '../published/PublicationNotice.tsx';
import { OwnerFilter, useOwnerFilter } from './OwnerFilter.tsx';

/** What tenants share or have for themselves, narrowed by whose it is, and deleted from the list. */
export function OwnedList<T extends { readonly id: string }>({
  noun,
  caption,
  columns,
  called,
  empty,
  confirm,
}: {
  readonly noun: string;
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  /** What one of them is called, for who does not see the row. */
  readonly called: (item: T) => string;
  readonly empty: (isNarrowed: boolean) => ReactNode;
  /** Asks before one is deleted. */
  readonly confirm: (item: T, onClose: () => void) => ReactNode;
}) {
  const mayWrite = useMayWrite();
  const { tenantId } = useSession();
  const filter = useOwnerFilter();
  const list = useList<T>(noun, { tenant_id: filter.tenantId });
  const [doomed, setDoomed] = useState<T | null>(null);
  return (
    <>
      <PublicationNotice />
      {tenantId === null && <OwnerFilter filter={filter} />}
      <Card flush>
        <Loaded query={list}>
          {() => (
            <Table
              caption={caption}
              columns={mayWrite ? [...columns, deleteColumn(called, setDoomed)] : columns}
              rows={list.items}
              rowKey={({ id }) => id}
              empty={empty(filter.isNarrowed)}
            />
          )}
        </Loaded>
        <MoreRows list={list} />
      </Card>
      {doomed && confirm(doomed, () => setDoomed(null))}
    </>
  );
}

function deleteColumn<T>(called: (item: T) => string, onDelete: (item: T) => void): Column<T> {
  return {
    title: 'Controls',
    isControls: true,
    cell: (item) => (
      <Button size="small" variant="quiet" icon="trash" onClick={() => onDelete(item)}>
        Delete<span className="hidden"> {called(item)}</span>
      </Button>
    ),
  };
}
