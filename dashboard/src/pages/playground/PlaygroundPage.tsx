import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import type { Demo } from '../../api/objects.ts';
import { open } from '../../api/request.ts';
import { Page } from '../../ui/Page.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { algorithms, type Algorithm } from './algorithms.ts';
import { Bench } from './Bench.tsx';
import './playground.css';

export default function PlaygroundPage() {
  const demo = useQuery({
    queryKey: ['demo'],
    queryFn: ({ signal }) => open<Demo>('v1/demo', { signal }),
    staleTime: Infinity,
  });
  const isOff = demo.error instanceof ApiProblem && demo.error.status === 404;
  return (
    <Page
      title="Playground"
      about="Fire a burst of real checks at a real limit, and watch what gets through."
    >
      {isOff ? (
        <Empty icon="play" title="There is no demo here">
          Start the service with SLUICE_DEMO=on, or open the console where checks are answered.
        </Empty>
      ) : (
        <Loaded query={demo} lines={10}>
          {(facts) => <Benches demo={facts} />}
        </Loaded>
      )}
    </Page>
  );
}

/** One for each algorithm. Each keeps its own answers while another is looked at. */
function Benches({ demo }: { readonly demo: Demo }) {
  const [subject] = useState(newSubject);
  const [current, setCurrent] = useState<Algorithm>('token_bucket');
  const plans = demo.plans.flatMap((plan) =>
    plan.limits[0] ? [{ algorithm: plan.limits[0].algorithm, plan }] : [],
  );
  return (
    <Tabs
      label="Algorithms"
      tabs={plans.map(({ algorithm }) => ({ id: algorithm, label: algorithms[algorithm].label }))}
      current={current}
      onChange={setCurrent}
    >
      {plans.map(({ algorithm, plan }) => (
        <div key={plan.id} hidden={algorithm !== current}>
          <Bench demo={demo} plan={plan} subject={subject} isShown={algorithm === current} />
        </div>
      ))}
    </Tabs>
  );
}

/** Whoever else plays here counts apart. */
function newSubject(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return `visitor-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
