import { useState } from 'react';

/** What somebody wants to do with which of the rows; the row is the newest that is known of it. */
export function useAsked<T extends { readonly id: string }, Action extends string>(
  rows: readonly T[],
) {
  const [asked, ask] = useState<{ readonly row: T; readonly action: Action } | null>(null);
  const row = rows.find(({ id }) => id === asked?.row.id) ?? asked?.row ?? null;
  return {
    /** The row where this is to be done with it. */
    forAction: (action: Action) => (asked?.action === action ? row : null),
    ask: (of: T, action: Action) => ask({ row: of, action }),
    close: () => ask(null),
  };
}
