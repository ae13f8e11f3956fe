import { useDeferredValue, useState } from 'react';
import type { Tenant } from '../../api/objects.ts';
import { useList } from '../../api/queries.ts';

/** A tenant by its name, found while it is typed; or by its id. */
export type TenantChoice = {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly tenants: readonly Tenant[];
  /** Null until the text names one. */
  readonly id: string | null;
};

const shownMax = 20;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function useTenantChoice(): TenantChoice {
  const [text, setText] = useState('');
  const prefix = useDeferredValue(text.trim());
  const { items } = useList<Tenant>('tenants', {
    name_prefix: uuid.test(prefix) ? '' : prefix,
    limit: shownMax,
  });
  const named = items.find(({ name }) => name === text.trim());
  const id = named?.id ?? (uuid.test(text.trim()) ? text.trim() : null);
  return { text, setText, tenants: items, id };
}
