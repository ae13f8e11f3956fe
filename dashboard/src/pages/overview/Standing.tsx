import type { LiveSecond } from '../../live/second.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';

const names = { database: 'Configuration', store: 'Counters' } as const;

/** How it stands with what everything else stands on. */
export function Standing({ seconds }: { readonly seconds: readonly LiveSecond[] }) {
  const last = seconds.at(-1);
  if (!last) return null;
  const { nodes, stores, factor } = last;
  return (
    <Card title="Standing" className="whole">
      <dl className="standing">
        <div>
          <dt>Nodes</dt>
          <dd className="figures">{nodes}</dd>
        </div>
        {(['database', 'store'] as const).map((name) => (
          <div key={name}>
            <dt>{names[name]}</dt>
            <dd>
              <Badge tone={stores[name] === 'up' ? 'good' : 'bad'}>{stores[name]}</Badge>
            </dd>
          </div>
        ))}
        <div>
          <dt>Health factor</dt>
          <dd className="figures">
            {factor}{' '}
            <span className="quiet">
              {factor === 1 ? 'no limit is tightened' : 'the least of all limits'}
            </span>
          </dd>
        </div>
      </dl>
    </Card>
  );
}
