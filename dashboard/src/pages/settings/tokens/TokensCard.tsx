import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { TenantText } from '../../../components/TenantText.tsx';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';
import type { Token } from './token.ts';

/** Who may use the admin API and this console. Only owners see it. */
export function TokensCard() {
  const list = useList<Token>('tokens');
  const [isNew, setIsNew] = useState(false);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const revoke = useChange({
    run: ({ id }: Token) => admin('DELETE', `tokens/${id}`),
    touches: ['tokens', 'audit'],
    done: (_, { name }) => `Token ${name} is revoked.`,
  });
  return (
    <Card
      title="Admin tokens"
      about="For people and programs that run the platform, or one tenant of it."
      flush
      actions={
        <Button variant="primary" icon="plus" onClick={() => setIsNew(true)}>
          New token
        </Button>
      }
    >
      <Loaded query={list}>{() => <Tokens tokens={list.items} onRevoke={setRevoked} />}</Loaded>
      <MoreRows list={list} />
      {isNew && <NewTokenDialog onClose={() => setIsNew(false)} />}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.name}?`}
          action="Revoke token"
          onConfirm={() => revoke.mutateAsync(revoked)}
          onClose={() => setRevoked(null)}
        >
          Whoever uses it is signed out with the next request. That is for good.
        </Confirm>
      )}
    </Card>
  );
}

function Tokens({
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
