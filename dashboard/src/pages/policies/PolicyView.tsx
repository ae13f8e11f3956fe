import { LimitsView } from '../../limits/LimitsView.tsx';
import { Card } from '../../ui/Card.tsx';
import { count } from '../../ui/words.ts';
import { Cost } from './Cost.tsx';
import { ModeBadge } from './ModeBadge.tsx';
import type { Policy } from './policy.ts';

/** For who may not change it. */
export function PolicyView({ policy }: { readonly policy: Policy }) {
  const { max_cost: max, mode, limits } = policy;
  return (
    <>
      <Card title="What a call costs">
        <dl className="facts">
          <dt>Cost</dt>
          <dd>
            <Cost of={policy} />
          </dd>
          <dt>At most</dt>
          <dd>{max === null ? 'no bound' : count(max)}</dd>
          <dt>Mode</dt>
          <dd>{mode === null ? 'as set elsewhere' : <ModeBadge mode={mode} />}</dd>
        </dl>
      </Card>
      {limits.length > 0 && <LimitsView limits={limits} />}
    </>
  );
}
