/** When something is to start or to end, as it is chosen in a form. */
export type Moment = { readonly choice: string; readonly at: string };

const daySeconds = 86_400;

/** By how it is spelled in a form; what is not here is `now`, `never`, `at` or `kept`. */
export const durations: Readonly<
  Record<string, { readonly label: string; readonly seconds: number }>
> = {
  hour: { label: 'in 1 hour', seconds: 3600 },
  day: { label: 'in 1 day', seconds: daySeconds },
  week: { label: 'in 7 days', seconds: 7 * daySeconds },
  month: { label: 'in 30 days', seconds: 30 * daySeconds },
  quarter: { label: 'in 90 days', seconds: 90 * daySeconds },
  year: { label: 'in 1 year', seconds: 365 * daySeconds },
};

export function chosen(choice: string): Moment {
  return { choice, at: '' };
}

/** Of what is there already, until another is chosen. */
export const asItIs = chosen('kept');

/**
 * Null is a start at once, or no end; undefined what it is already. A moment that was not typed is
 * left for the service to refuse by name.
 */
export function instantOf({ choice, at }: Moment, nowMs = Date.now()): string | null | undefined {
  if (choice === 'kept') return undefined;
  if (choice === 'now' || choice === 'never') return null;
  const seconds = durations[choice]?.seconds;
  if (seconds !== undefined) return new Date(nowMs + seconds * 1000).toISOString();
  const typed = new Date(at);
  return Number.isNaN(typed.getTime()) ? at : typed.toISOString();
}
