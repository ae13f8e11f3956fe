import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Page, Published } from '../../api/objects.ts';
import { keyOf } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';

/** How far the news of a shared change has come. */
export type Publication = {
  readonly id: string;
  readonly epoch: number;
  readonly cause: string;
  readonly total: number | null;
  readonly done: number;
  readonly started_at: string;
  readonly finished_at: string | null;
};

/** What every change answers with, besides the object. */
export type Changed<T> = T &
  Published & { readonly publication?: Pick<Publication, 'epoch' | 'total' | 'done'> };

/** How long until it is looked at again: closely while it runs. */
export function watchMs(publication: Publication | null | undefined): number | false {
  return publication?.finished_at === null ? 700 : false;
}

/** The newest; watched closely until it has reached everybody. */
export function useLastPublication(enabled: boolean): UseQueryResult<Publication | null> {
  return useQuery({
    queryKey: keyOf('publications', 'last'),
    queryFn: async ({ signal }) => {
      const query = { limit: 1 };
      const page = await admin<Page<Publication>>('GET', 'publications', { query, signal });
      return page.items[0] ?? null;
    },
    enabled,
    refetchInterval: ({ state: { data } }) => watchMs(data),
  });
}
