import { TenantText } from '../../../components/TenantText.tsx';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { Token } from './token.ts';

export function TokensTable({
  tokens,
  onRevoke,
}: {
  readonly tokens: readonly Token[];
  readonly onRevoke: (token: Token) => void;
}) {
  return (
    <Table
      caption="Admin tokens"
      rows={tokens}
      rowKey={({ id }) => id}
      empty={
        <Empty icon="key" title="No token besides the service’s own">
          Give each person and program one of its own: the audit then says who did what.
        </Empty>
      }
      columns={[
        { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
        { title: 'Role', cell: ({ role }) => role },
        {
          title: 'Reaches',
          cell: ({ tenant_id: id }) =>
            id === null ? 'the whole platform' : <TenantText id={id} />,
        },
        { title: 'Status', cell: (token) => <Status token={token} /> },
        {
          title: 'Last used',
          cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
        },
        {
          title: 'Actions',
          isControls: true,
          cell: (token) =>
            token.status === 'active' && (
              <Button
                size="small"
                variant="quiet"
                aria-label={`Revoke ${token.name}`}
                onClick={() => onRevoke(token)}
              >
                Revoke
              </Button>
            ),
        },
      ]}
    />
  );
}

function Status({ token: { status, expires_at: at } }: { readonly token: Token }) {
  if (status !== 'active') return <Badge>{status}</Badge>;
  return (
    <>
      <Badge tone="good">active</Badge>
      {at !== null && (
        <p className="hint">
          ends <Time at={at} />
        </p>
      )}
    </>
  );
}
