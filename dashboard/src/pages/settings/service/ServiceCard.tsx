import { useQuery } from '@tanstack/react-query';
import { open } from '../../../api/request.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Loaded } from '../../../ui/States.tsx';

type State = 'up' | 'down' | 'memory' | 'embedded';
type Facts = {
  readonly version: string;
  readonly degraded: boolean;
  readonly dependencies: Readonly<Record<string, State>>;
  readonly findings: readonly string[];
};

const words: Readonly<Record<State, string>> = {
  up: 'up',
  down: 'down',
  memory: 'in this process’s memory',
  embedded: 'built in',
};

/** What the node that served this page says of itself. */
export function ServiceCard() {
  const facts = useQuery({
    queryKey: ['service'],
    queryFn: async ({ signal }): Promise<Facts> => {
      const [{ version }, ready] = await Promise.all([
        open<{ readonly version: string }>('v1/health', { signal }),
        open<Omit<Facts, 'version'>>('v1/ready', { signal }),
      ]);
      return { version, ...ready };
    },
    refetchInterval: 10_000,
  });
  return (
    <Card title="This service" about="The node that served this page.">
      <Loaded query={facts}>
        {({ version, degraded, dependencies, findings }) => (
          <dl className="facts">
            <dt>Version</dt>
            <dd className="figures">{version}</dd>
            <dt>State</dt>
            <dd>
              <Badge tone={degraded ? 'warning' : 'good'}>{degraded ? 'degraded' : 'ready'}</Badge>
            </dd>
            {Object.entries(dependencies).map(([name, state]) => (
              <Dependency key={name} name={name} state={state} />
            ))}
            <dt>To put right</dt>
            <dd>{findings.join(', ') || 'nothing'}</dd>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

function Dependency({ name, state }: { readonly name: string; readonly state: State }) {
  return (
    <>
      <dt>{name[0]?.toUpperCase() + name.slice(1)}</dt>
      <dd>{state === 'down' ? <Badge tone="bad">down</Badge> : words[state]}</dd>
    </>
  );
}
