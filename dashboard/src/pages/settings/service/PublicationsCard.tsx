import { useList } from '../../../api/queries.ts';
import { watchMs, type Publication } from '../../../limits/published/publication.ts';
import { Card } from '../../../ui/Card.tsx';
import { Meter } from '../../../ui/Meter.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Table } from '../../../ui/Table.tsx';
import { Time } from '../../../ui/Time.tsx';
import { count } from '../../../ui/words.ts';

/** How far changes of what all tenants share have come. */
export function PublicationsCard() {
  const list = useList<Publication>(
    'publications',
    {},
    { refetchMs: ([newest]) => watchMs(newest) },
  );
  return (
    <Card
      title="Publications"
      about="Changes of what tenants share are told to each of them, and count from then on."
      flush
    >
      <Loaded query={list}>
        {() => (
          <Table
            caption="Publications"
            rows={list.items}
            rowKey={({ id }) => id}
            empty={<Empty icon="check" title="Nothing shared was changed yet" />}
            columns={[
              { title: 'Epoch', align: 'right', cell: ({ epoch }) => epoch },
              { title: 'Change', cell: ({ cause }) => cause },
              { title: 'Told', cell: (publication) => <Progress publication={publication} /> },
              { title: 'Started', cell: ({ started_at: at }) => <Time at={at} /> },
            ]}
          />
        )}
      </Loaded>
      <MoreRows list={list} />
    </Card>
  );
}

function Progress({ publication }: { readonly publication: Publication }) {
  const { done, total, finished_at: finishedAt, epoch } = publication;
  if (finishedAt !== null) return <span className="quiet">all {count(total ?? done)}</span>;
  return (
    <div className="progress-cell">
      <Meter used={done} of={total ?? done} tone="accent" label={`Told of epoch ${epoch}`} />
      <span className="hint figures">
        {count(done)} of {total === null ? 'many' : count(total)}
      </span>
    </div>
  );
}
