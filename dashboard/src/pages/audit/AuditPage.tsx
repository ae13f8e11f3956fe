import './audit.css';
import { useState } from 'react';
import { useList } from '../../api/queries.ts';
import { Card } from '../../ui/Card.tsx';
import { MoreRows } from '../../ui/MoreRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { AuditFilters, noFilters, queryOf, type Filters } from './AuditFilters.tsx';
import { Entry } from './Entry.tsx';
import type { AuditEntry } from './entry.ts';

/** Who changed what, the newest first. */
export default function AuditPage() {
  const [filters, setFilters] = useState<Filters>(noFilters);
  const list = useList<AuditEntry>('audit', queryOf(filters));
  return (
    <Page
      title="Audit"
      about="Every change, by whom, and how it was before. Entries are written with the change itself and never changed."
    >
      <Card flush>
        <AuditFilters filters={filters} onChange={setFilters} />
        <Loaded query={list}>{() => <Entries entries={list.items} />}</Loaded>
        <MoreRows list={list} />
      </Card>
    </Page>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  if (entries.length === 0) {
    return (
      <Empty icon="audit" title="No change like this">
        Take a filter away, or look at an earlier day.
      </Empty>
    );
  }
  return (
    <ol className="audit" aria-label="Changes">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ol>
  );
}
