import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useToast } from '../ui/toast/toasts.ts';
import { ApiProblem } from './problem.ts';
import { admin, type Query } from './request.ts';
import type { Page } from './objects.ts';

/** All of one noun starts with the same words, so that a change of it refreshes all. */
export function keyOf(noun: string, ...rest: readonly unknown[]): readonly unknown[] {
  return ['admin', noun, ...rest];
}

/** How one object is asked for, so that all who ask share the answer. */
export function objectQuery<T>(noun: string, path: string | null, query: Query = {}) {
  return {
    queryKey: keyOf(noun, path, query),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      admin<T>('GET', path === '' ? noun : `${noun}/${path}`, { query, signal }),
    enabled: path !== null,
  };
}

/** One object, or whatever else a path below `/v1/admin/` answers. */
export function useObject<T>(
  noun: string,
  path: string | null,
  query: Query = {},
  options: { readonly refetchMs?: number } = {},
): UseQueryResult<T> {
  return useQuery({
    ...objectQuery<T>(noun, path, query),
    ...(options.refetchMs !== undefined && { refetchInterval: options.refetchMs }),
  });
}

const pageSize = 50;

export type ListOptions<T> = {
  readonly enabled?: boolean;
  /** How long until these are asked for again; not at all unless said. */
  readonly refetchMs?: (items: readonly T[]) => number | false;
};

/** A list, page by page. */
export function useList<T>(
  noun: string,
  filters: Query = {},
  { enabled = true, refetchMs = () => false }: ListOptions<T> = {},
) {
  const query = useInfiniteQuery({
    queryKey: keyOf(noun, 'list', filters),
    queryFn: ({ pageParam, signal }) =>
      admin<Page<T>>('GET', noun, {
        query: { limit: pageSize, ...filters, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<T>) => page.next_cursor,
    enabled,
    refetchInterval: ({ state: { data } }) => refetchMs(itemsOf(data)),
  });
  return { ...query, items: itemsOf(query.data) };
}

function itemsOf<T>(data: InfiniteData<Page<T>> | undefined): readonly T[] {
  return data?.pages.flatMap((page) => page.items) ?? [];
}

/** A change: refreshes what it touches, and says that it is done. What fails is for the form. */
export function useChange<Input, Output>(options: {
  readonly run: (input: Input) => Promise<Output>;
  /** The nouns whose objects may look different now. */
  readonly touches: readonly string[];
  /** What to say; nothing where the page shows it. */
  readonly done?: (output: Output, input: Input) => string;
}) {
  const client = useQueryClient();
  const toast = useToast();
  const refresh = () =>
    Promise.all(options.touches.map((noun) => client.invalidateQueries({ queryKey: keyOf(noun) })));
  return useMutation({
    mutationFn: options.run,
    onSuccess: async (output, input) => {
      if (options.done) toast.say(options.done(output, input));
      await refresh();
    },
    // What was changed by others must be seen before it can be changed again.
    onError: (error) => (isConflict(error) ? refresh() : undefined),
  });
}

/** Somebody else was quicker. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_conflict';
}
