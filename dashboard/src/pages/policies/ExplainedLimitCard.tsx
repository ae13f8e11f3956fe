import { Link } from 'wouter';
import { algorithms, type AlgorithmName } from '../../limits/algorithms.ts';
import { textOf } from '../../limits/fields/bind.ts';
import { perInWords } from '../../limits/words.ts';
import { count } from '../../ui/words.ts';
import type { ExplainedLimit } from './explanation.ts';
import { ModeBadge } from './ModeBadge.tsx';

const homes: Readonly<Record<string, string>> = { plan: '/plans', policy: '/policies' };

/** One limit that applies: how much there is, and where each of its words comes from. */
export function ExplainedLimitCard({ limit }: { readonly limit: ExplainedLimit }) {
  const { name, limit: size = 0, cost = 0, unit = 'requests', mode = 'enforce' } = limit;
  return (
    <article className="explained card" aria-label={`Limit ${name}`}>
      <header>
        <h3>{name}</h3>
        <ModeBadge mode={mode} />
        <span className="explained-cost figures">
          takes {count(cost)} of {count(size)} {unit}
        </span>
      </header>
      <dl className="facts">
        <dt>Algorithm</dt>
        <dd>
          {algorithms[limit.algorithm as AlgorithmName]?.label ?? limit.algorithm},{' '}
          {perInWords({ ...(limit.per && { per: limit.per }) })}
        </dd>
        <dt>Numbers</dt>
        <dd>
          <Numbers limit={limit} />
        </dd>
        <dt>Comes from</dt>
        <dd>
          <Home limit={limit} />
        </dd>
        <dt>Mode</dt>
        <dd>
          {mode} <span className="quiet">{modeBecause(limit)}</span>
        </dd>
        <dt>Effect</dt>
        <dd>{limit.because}</dd>
        {limit.skipped_by && (
          <>
            <dt>Left out by</dt>
            <dd>{limit.skipped_by.join(', ')}: nobody there says when a call has ended</dd>
          </>
        )}
      </dl>
    </article>
  );
}

function modeBecause({ mode_because: because, enforce_from: from }: ExplainedLimit): string {
  const words = because === undefined ? '' : `because ${because}`;
  return from === undefined || from === null ? words : `${words}; enforced from ${from}`;
}

function Home({ limit: { defined_by: by } }: { readonly limit: ExplainedLimit }) {
  const home = homes[by.kind];
  if (home === undefined || by.id === undefined) return <>the {by.kind}</>;
  return <Link href={`${home}/${by.id}`}>the {by.kind}</Link>;
}

/** What an override replaced is struck through beside what counts. */
function Numbers({ limit }: { readonly limit: ExplainedLimit }) {
  const { numbers = {}, base_numbers: base = numbers, override } = limit;
  return (
    <>
      <span className="mono">
        {Object.entries(numbers).map(([field, value]) => {
          const before = textOf(base[field]);
          const isReplaced = before !== textOf(value) && base[field] !== undefined;
          return (
            <span key={field} className="number">
              {field} {isReplaced && <del>{before}</del>} {textOf(value)}
            </span>
          );
        })}
      </span>
      {override && (
        <span className="quiet">
          by the override{' '}
          {override.of === limit.name
            ? 'of this limit'
            : `of ${override.of}, which it is a share of`}
        </span>
      )}
    </>
  );
}
