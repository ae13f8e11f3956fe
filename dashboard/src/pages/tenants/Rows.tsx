import type { ReactNode } from 'react';
import { Failed, Loading } from '../../ui/States.tsx';

/** The rows of a list, or how it stands with it. */
export function Rows({
  list,
  children,
}: {
  readonly list: {
    readonly error: Error | null;
    readonly isPending: boolean;
    refetch(): unknown;
  };
  readonly children: ReactNode;
}) {
  if (list.error) return <Failed error={list.error} onRetry={() => list.refetch()} />;
  return list.isPending ? <Loading /> : children;
}
