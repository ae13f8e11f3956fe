import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'bad' | 'warning' | 'odd';

/** A word about a state; never told by its colour alone. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}
