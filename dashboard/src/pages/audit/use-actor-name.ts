import { useList } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { shortId } from '../../components/tenants.ts';

type Token = { readonly id: string; readonly name: string };

/** Who did it, by the name of the token where the reader may know it. */
export function useActorName(): (actor: string) => string {
  const session = useSession();
  const { me } = session;
  const { items } = useList<Token>('tokens', { limit: 200 }, { enabled: session.hasRole('owner') });
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return (actor) => {
    if (actor === me?.id) return 'you';
    return names.get(actor) ?? shortId(actor);
  };
}
