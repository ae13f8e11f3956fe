import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { Empty } from '../../../ui/States.tsx';
import { Table, type Column } from '../../../ui/Table.tsx';
import { Countdown, Time } from '../../../ui/Time.tsx';
import { ifMatch } from '../../../api/if-match.ts';
import { useMay } from '../may.ts';
import type { Block } from '../objects.ts';
import { useAsked } from '../use-asked.ts';
import { whoInWords } from './block-draft.ts';
import { EditBlock } from './EditBlock.tsx';

type Action = 'edit' | 'delete';

export function BlockTable({ blocks }: { readonly blocks: readonly Block[] }) {
  const may = useMay();
  const { ask, forAction, close } = useAsked<Block, Action>(blocks);
  const [editing, deleting] = [forAction('edit'), forAction('delete')];
  return (
    <>
      <Table
        caption="Blocks"
        columns={may.changeOwn ? [...columns, controlsFor(may.isPlatform, ask)] : columns}
        rows={blocks}
        rowKey={({ id }) => id}
        empty={
          <Empty icon="policy" title="Nobody is blocked">
            Everybody is held to the limits, and to nothing else.
          </Empty>
        }
      />
      {editing && <EditBlock block={editing} onClose={close} />}
      {deleting && <DeleteBlock block={deleting} onClose={close} />}
    </>
  );
}

function DeleteBlock({ block, onClose }: { readonly block: Block; readonly onClose: () => void }) {
  const change = useChange({
    run: () => admin('DELETE', `blocks/${block.id}`, ifMatch(block)),
    touches: ['blocks'],
    done: () => `${whoInWords(block)} is held to the limits again.`,
  });
  return (
    <Confirm
      title={`Delete this ${block.action}?`}
      action={`Delete ${block.action}`}
      onConfirm={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      From the next check on, {whoInWords(block)} is held to the limits, and to nothing else.
    </Confirm>
  );
}

function controlsFor(
  isPlatform: boolean,
  onAsk: (block: Block, action: Action) => void,
): Column<Block> {
  return {
    title: 'Actions',
    isControls: true,
    // Whom the platform lets through is not for a tenant to say.
    cell: (block) =>
      (isPlatform || block.action === 'block') && (
        <>
          <Button size="small" variant="quiet" onClick={() => onAsk(block, 'edit')}>
            Edit<span className="hidden"> {whoInWords(block)}</span>
          </Button>
          <Button size="small" variant="quiet" onClick={() => onAsk(block, 'delete')}>
            Delete<span className="hidden"> {whoInWords(block)}</span>
          </Button>
        </>
      ),
  };
}

const columns: readonly Column<Block>[] = [
  { title: 'Who', cell: (block) => <strong>{whoInWords(block)}</strong> },
  {
    title: 'What',
    cell: ({ action }) => <Badge tone={action === 'block' ? 'bad' : 'warning'}>{action}</Badge>,
  },
  {
    title: 'Ends',
    cell: ({ status, expires_at: end }) => {
      if (end === null) return <span className="quiet">never</span>;
      return status === 'expired' ? <Time at={end} /> : <Countdown to={end} over="ended" />;
    },
  },
  { title: 'Why', cell: ({ reason }) => <span className="tenant-reason">{reason}</span> },
];
