import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { Published } from '../../api/objects.ts';
import { bodyOf, type QuotaDraft } from './draft.ts';

type Edited = { readonly draft: QuotaDraft; readonly version: number | null };

/** All of it at once: nobody is to see half of a new allocation. */
export function useSave(tenantId: string, onSaved: () => void) {
  return useChange<Edited, Published>({
    run: async ({ draft, version }) => {
      const body = { ...bodyOf(draft), ...(version !== null && { version }) };
      const saved = await admin<Published>('PUT', `quotas/${tenantId}`, { body });
      onSaved();
      return saved;
    },
    touches: ['quotas', 'audit'],
    done: ({ published }) =>
      published ? 'Quota saved. It counts from the next check on.' : 'Quota saved.',
  });
}
