import { Link } from 'wouter';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Table, type Column } from '../../ui/Table.tsx';
import { Cost } from './Cost.tsx';
import { ExplainedLimitCard } from './ExplainedLimitCard.tsx';
import type { Explanation, MatchedPolicy } from './explanation.ts';
import { ModeBadge } from './ModeBadge.tsx';

/** What applies to a check, in the order in which it is found. */
export function Explained({ explanation }: { readonly explanation: Explanation }) {
  const { limits, block, allowed_without_limits: isFree } = explanation;
  const applying = limits.filter(({ applies }) => applies);
  const skipped = limits.filter(({ applies }) => !applies);
  return (
    <>
      {block && <Block block={block} />}
      <Card title="Whose call it is, and what it costs">
        <Facts explanation={explanation} />
      </Card>
      <Policies policies={explanation.policies} />
      <section className="stack" aria-label="Limits that apply">
        <h2>{applying.length === 1 ? '1 limit applies' : `${applying.length} limits apply`}</h2>
        {isFree && <p>Neither plan, policy nor quota says anything: every such call is allowed.</p>}
        {applying.map((limit) => (
          <ExplainedLimitCard key={`${limit.defined_by.id ?? ''} ${limit.name}`} limit={limit} />
        ))}
      </section>
      {skipped.length > 0 && (
        <Card title="What does not apply">
          <dl className="facts">
            {skipped.map(({ name, because, defined_by: { kind, id = '' } }) => (
              <div key={`${id} ${name}`} className="fact">
                <dt>
                  {name} <span className="quiet">of the {kind}</span>
                </dt>
                <dd>{because}</dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
    </>
  );
}

function Block({ block }: { readonly block: NonNullable<Explanation['block']> }) {
  const isShut = block.action === 'block';
  const until = block.expires_at === null ? 'until it is ended' : `until ${block.expires_at}`;
  return (
    <p className={`notice ${isShut ? 'tone-bad' : 'tone-warning'}`}>
      <Icon name="alert" />
      {isShut
        ? `The caller is blocked ${until}: no limit is asked.`
        : `The caller bypasses every limit ${until}.`}
    </p>
  );
}

function Facts({ explanation }: { readonly explanation: Explanation }) {
  const { tenant, plan, resource } = explanation;
  return (
    <dl className="facts">
      <dt>Tenant</dt>
      <dd>
        {tenant.name} <Badge>{tenant.tier}</Badge>{' '}
        {tenant.status !== 'active' && <Badge tone="bad">{tenant.status}</Badge>}
      </dd>
      <dt>Plan</dt>
      <dd>
        {plan ? <Link href={`/plans/${plan.id}`}>{plan.name}</Link> : 'none'}
        {plan && <span className="quiet">: {plan.because}</span>}
      </dd>
      <dt>Counts as</dt>
      <dd>
        <code>{resource.counted}</code>
        <span className="quiet">: {resource.because}</span>
      </dd>
      <dt>Cost</dt>
      <dd>
        <Cost of={explanation} />
        <span className="quiet">: {explanation.cost_because}</span>
      </dd>
    </dl>
  );
}

const columns: readonly Column<MatchedPolicy>[] = [
  {
    title: 'Pattern',
    cell: ({ id, resource }) => (
      <Link href={`/policies/${id}`} className="mono">
        {resource}
      </Link>
    ),
  },
  { title: 'Costs', cell: (policy) => <Cost of={policy} /> },
  { title: 'Adds limits', cell: ({ limits }) => limits.join(', ') },
  { title: 'Mode', cell: ({ mode }) => (mode === null ? '' : <ModeBadge mode={mode} />) },
];

function Policies({ policies }: Pick<Explanation, 'policies'>) {
  if (policies.length === 0) return null;
  return (
    <Card
      title="Policies that match"
      about="The most specific first: cost and mode come from it, limits from all."
      flush
    >
      <Table
        caption="Policies that match"
        columns={columns}
        rows={policies}
        rowKey={({ id }) => id}
      />
    </Card>
  );
}
