import { useState } from 'react';
import type { Tenant } from '../../../api/objects.ts';
import { Card } from '../../../ui/Card.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { CounterTable } from './CounterTable.tsx';
import { useCounters, type Whose } from './counters.ts';
import { WhoseForm } from './WhoseForm.tsx';

/** The limits that apply, and how far each is used: of the tenant, or of somebody at something. */
export function LimitsNow({ tenant }: { readonly tenant: Tenant }) {
  const [whose, setWhose] = useState<Whose>({ tenant_id: tenant.id });
  const query = useCounters(whose);
  return (
    <Card
      flush
      title="Limits now"
      about="Those of the plan; with a resource also what policies say of it. Name whose counter to see what is used."
    >
      <WhoseForm onLook={(named) => setWhose({ tenant_id: tenant.id, ...named })} />
      <Loaded query={query}>
        {({ limits }) => <CounterTable counters={limits} whose={whose} />}
      </Loaded>
    </Card>
  );
}
