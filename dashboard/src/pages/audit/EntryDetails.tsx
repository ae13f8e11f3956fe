import { Code } from '../../ui/Code.tsx';
import { differences, type Difference } from './diff.ts';
import type { AuditEntry } from './entry.ts';

/** What differs, for people; all of it, for who must know. */
export function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const { before, after } = entry;
  const found = differences(before, after);
  return (
    <div className="audit-details stack">
      {found.length === 0 ? (
        <p className="quiet">Nothing that is kept of it differs.</p>
      ) : (
        <Differences found={found} />
      )}
      <dl className="facts">
        <dt>Object</dt>
        <dd className="mono">{entry.object_id}</dd>
        <dt>When</dt>
        <dd>{new Date(entry.at).toLocaleString()}</dd>
        <dt>By</dt>
        <dd className="mono">{entry.actor}</dd>
        <dt>Request</dt>
        <dd className="mono">{entry.request_id ?? 'none'}</dd>
      </dl>
      <details className="audit-raw">
        <summary>As JSON</summary>
        <Code text={JSON.stringify({ before, after }, null, 2)} label="Before and after, as JSON" />
      </details>
    </div>
  );
}

function Differences({ found }: { readonly found: readonly Difference[] }) {
  const hasBefore = found.some(({ before }) => before !== undefined);
  const hasAfter = found.some(({ after }) => after !== undefined);
  return (
    <div className="audit-diff">
      <table>
        <caption className="hidden">What differs</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {hasBefore && <th scope="col">Before</th>}
            {hasAfter && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {found.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              {hasBefore && <td>{before === undefined ? <Nothing /> : <del>{before}</del>}</td>}
              {hasAfter && <td>{after === undefined ? <Nothing /> : <ins>{after}</ins>}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Nothing() {
  return <span className="quiet">–</span>;
}
