import { useQuery } from '@tanstack/react-query';
import { keyOf } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import type { Counter } from '../objects.ts';

/** Whose counters are meant; what is not said counts for nobody. */
export type Whose = {
  readonly tenant_id: string;
  readonly resource?: string;
  readonly subject?: string;
};

const refetchMs = 5000;

/** Asked by POST, for whose counters they are is nothing for an address. */
export function useCounters(whose: Whose) {
  return useQuery({
    queryKey: keyOf('counters', whose),
    queryFn: ({ signal }) =>
      admin<{ limits: readonly Counter[] }>('POST', 'counters/inspect', { body: whose, signal }),
    refetchInterval: refetchMs,
  });
}

const partWords: Readonly<Record<string, string>> = {
  tenant: 'tenant',
  key: 'key',
  subject: 'subject',
  resource: 'resource',
  global: 'all tenants together',
};

/** `per subject and resource`. The tenant goes without saying, unless it is all. */
export function perInWords(per: readonly string[]): string {
  const parts = per.filter((part) => part !== 'tenant');
  const words = (parts.length === 0 ? ['tenant'] : parts).map(
    (part) => partWords[part] ?? part.replace(/^attributes\./, ''),
  );
  return `per ${new Intl.ListFormat('en').format(words)}`;
}
