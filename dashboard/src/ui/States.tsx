import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiProblem, messageOf } from '../api/problem.ts';
import { Button } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';

/** Nothing here yet: says what would be, and how to get it. */
export function Empty({
  icon = 'search',
  title,
  children,
  action,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} size={20} />
      </span>
      <p className="state-title">{title}</p>
      {children !== undefined && <p className="quiet">{children}</p>}
      {action}
    </div>
  );
}

export function Failed({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
}) {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return (
    <div className="state" role="alert">
      <span className="state-icon tone-bad">
        <Icon name="alert" size={20} />
      </span>
      <p className="state-title">This could not be loaded</p>
      <p className="quiet">{messageOf(error)}</p>
      {requestId !== null && <p className="quiet mono">request {requestId}</p>}
      {onRetry && (
        <Button icon="refresh" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Grey lines in the place of what is to come, so that nothing jumps. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="hidden">Loading…</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className="skeleton-line" />
      ))}
    </div>
  );
}

/** What a query brought, or how it stands with it. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
