import { useSession } from '../../session/session.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Meter } from '../../ui/Meter.tsx';
import { Time } from '../../ui/Time.tsx';
import { count } from '../../ui/words.ts';
import { useLastPublication } from './publication.ts';

/** What is shared by all is published in the background: how far that is. */
export function PublicationNotice() {
  const session = useSession();
  const { data: last } = useLastPublication(session.isSignedIn && session.tenantId === null);
  if (!last) return null;
  const { done, total, finished_at: finishedAt } = last;
  if (finishedAt !== null) {
    return (
      <p className="published quiet" role="status">
        <Icon name="check" />
        <span>
          The last change of what all tenants share has reached them, <Time at={finishedAt} />.
        </span>
      </p>
    );
  }
  return (
    <div className="published is-running" role="status">
      <p>
        A change of what all tenants share is being published:{' '}
        {total === null ? 'it has just begun' : `${count(done)} of ${count(total)} tenants know`}.
      </p>
      <Meter used={done} of={total ?? 1} label="Tenants that know" tone="accent" />
    </div>
  );
}
