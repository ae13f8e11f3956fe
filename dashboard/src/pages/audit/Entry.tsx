import { useState } from 'react';
import { TenantText } from '../../components/TenantText.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Time } from '../../ui/Time.tsx';
import { actionInWords, nounInWords, titleOf, type AuditEntry } from './entry.ts';
import { EntryDetails } from './EntryDetails.tsx';
import { useActorName } from './use-actor-name.ts';

/** One change in a line; what differs when it is opened. */
export function Entry({ entry }: { readonly entry: AuditEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const actorName = useActorName();
  const { done, tone } = actionInWords(entry.action);
  const { tenant_id: tenantId } = entry;
  const noun = nounInWords(entry.noun);
  const title = titleOf(entry);
  return (
    <li>
      <details
        className="audit-entry"
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>
          <Icon name="chevron" />
          <Badge tone={tone}>{done}</Badge>
          <span className="audit-what">
            {noun} {title !== noun && <strong>{title}</strong>}
            {tenantId !== null && entry.noun !== 'tenants' && (
              <span className="quiet">
                {' '}
                of <TenantText id={tenantId} />
              </span>
            )}
          </span>
          <span className="quiet audit-by">
            {actorName(entry.actor)} · <Time at={entry.at} />
          </span>
        </summary>
        {isOpen && <EntryDetails entry={entry} />}
      </details>
    </li>
  );
}
