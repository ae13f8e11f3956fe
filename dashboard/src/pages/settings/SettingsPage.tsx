import './settings.css';
import { useState, type ReactNode } from 'react';
import { useSession, type Session } from '../../session/session.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { ModesCard } from './modes/ModesCard.tsx';
import { PoolsCard } from './pools/PoolsCard.tsx';
import { PublicationsCard } from './service/PublicationsCard.tsx';
import { ServiceCard } from './service/ServiceCard.tsx';
import { TokensCard } from './tokens/TokensCard.tsx';
import { WebhooksCard } from './webhooks/WebhooksCard.tsx';

type Part = {
  readonly id: string;
  readonly label: string;
  readonly isFor: (session: Session) => boolean;
  readonly content: () => ReactNode;
};

const parts: readonly Part[] = [
  {
    id: 'tokens',
    label: 'Tokens',
    isFor: (session) => session.hasRole('owner'),
    content: () => <TokensCard />,
  },
  { id: 'modes', label: 'Modes', isFor: () => true, content: () => <ModesCard /> },
  { id: 'webhooks', label: 'Webhooks', isFor: () => true, content: () => <WebhooksCard /> },
  {
    id: 'pools',
    label: 'Pools',
    isFor: ({ tenantId }) => tenantId === null,
    content: () => <PoolsCard />,
  },
  {
    id: 'service',
    label: 'Service',
    isFor: ({ tenantId }) => tenantId === null,
    content: () => (
      <div className="stack">
        <ServiceCard />
        <PublicationsCard />
      </div>
    ),
  },
];

/** What is set for the whole, rather than for one limit. */
export default function SettingsPage() {
  const session = useSession();
  const shown = parts.filter(({ isFor }) => isFor(session));
  const [current, setCurrent] = useState(shown[0]?.id ?? 'modes');
  const part = shown.find(({ id }) => id === current);
  return (
    <Page title="Settings" about="Who may sign in, what is on trial, and what the service runs on.">
      <Tabs label="Settings" tabs={shown} current={current} onChange={setCurrent}>
        {part?.content()}
      </Tabs>
    </Page>
  );
}
