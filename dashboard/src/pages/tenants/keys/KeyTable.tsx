import { Badge, type Tone } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Countdown, Time } from '../../../ui/Time.tsx';
import { useMay } from '../may.ts';
import type { ApiKey } from '../objects.ts';
import { useAsked } from '../use-asked.ts';
import { EditKey } from './EditKey.tsx';
import { RevokeKey } from './RevokeKey.tsx';
import { RotateKey } from './RotateKey.tsx';

const statusTones: Readonly<Record<ApiKey['status'], Tone>> = {
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
};

type Action = 'edit' | 'rotate' | 'revoke';
type Ask = (key: ApiKey, action: Action) => void;

export function KeyTable({
  keys,
  status,
}: {
  readonly keys: readonly ApiKey[];
  readonly status: string;
}) {
  const may = useMay();
  const { ask, forAction, close } = useAsked<ApiKey, Action>(keys);
  const [editing, rotating, revoking] = [
    forAction('edit'),
    forAction('rotate'),
    forAction('revoke'),
  ];
  return (
    <>
      <Table
        caption="Keys"
        columns={may.changeOwn ? [...columns, controlsFor(ask)] : columns}
        rows={keys}
        rowKey={({ id }) => id}
        empty={
          <Empty icon="key" title={status === 'active' ? 'No active key' : 'No such key'}>
            {status === 'active' && 'Without one, nobody can ask about this tenant.'}
          </Empty>
        }
      />
      {editing && <EditKey apiKey={editing} onClose={close} />}
      {rotating && <RotateKey apiKey={rotating} onClose={close} />}
      {revoking && <RevokeKey apiKey={revoking} onClose={close} />}
    </>
  );
}

function controlsFor(onAsk: Ask): Column<ApiKey> {
  return {
    title: 'Actions',
    isControls: true,
    cell: (key) => key.status === 'active' && <KeyControls apiKey={key} onAsk={onAsk} />,
  };
}

function KeyControls({ apiKey, onAsk }: { readonly apiKey: ApiKey; readonly onAsk: Ask }) {
  const { isPlatform } = useMay();
  const isReserved = !isPlatform && apiKey.scopes.includes('plan:select');
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => onAsk(apiKey, 'edit')}>
        Edit<span className="hidden"> {apiKey.name}</span>
      </Button>
      <Button
        size="small"
        variant="quiet"
        disabled={isReserved}
        title={
          isReserved ? 'A key that selects plans is rotated by who runs this service.' : undefined
        }
        onClick={() => onAsk(apiKey, 'rotate')}
      >
        Rotate<span className="hidden"> {apiKey.name}</span>
      </Button>
      <Button size="small" variant="quiet" onClick={() => onAsk(apiKey, 'revoke')}>
        Revoke<span className="hidden"> {apiKey.name}</span>
      </Button>
    </>
  );
}

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: ({ name, id }) => (
      <>
        <strong>{name}</strong>
        <br />
        <span className="quiet mono">{id}</span>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{status}</Badge>,
  },
  {
    title: 'May',
    cell: ({ scopes }) => (
      <span className="row key-scope-list">
        {scopes.map((scope) => (
          <Badge key={scope}>{scope}</Badge>
        ))}
      </span>
    ),
  },
  {
    title: 'Last used',
    cell: ({ last_used_at: at }) =>
      at === null ? <span className="quiet">never</span> : <Time at={at} />,
  },
  { title: 'Ends', cell: (key) => <Ends apiKey={key} /> },
];

function Ends({ apiKey }: { readonly apiKey: ApiKey }) {
  const { status, expires_at: expiresAt, revoked_at: revokedAt } = apiKey;
  if (revokedAt !== null) return <Time at={revokedAt} />;
  if (expiresAt === null) return <span className="quiet">never</span>;
  return status === 'expired' ? <Time at={expiresAt} /> : <Countdown to={expiresAt} over="ended" />;
}
