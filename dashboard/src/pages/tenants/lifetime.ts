/** When something is to end, as it is chosen in a form. */
export type Ending = { readonly choice: string; readonly at: string };

const daySeconds = 86_400;

/** By how it is spelled in a form; what is not here is `never`, `at` or `kept`. */
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

export function endingIn(choice: string): Ending {
  return { choice, at: '' };
}

/** When it ends already: the end of what is there, until another is chosen. */
export const keptEnding = endingIn('kept');

/**
 * Null is never, undefined what it is already. A moment that was not typed is left for the service
 * to refuse by name.
 */
export function expiryOf({ choice, at }: Ending, nowMs = Date.now()): string | null | undefined {
  if (choice === 'kept') return undefined;
  if (choice === 'never') return null;
  const seconds = durations[choice]?.seconds;
  if (seconds !== undefined) return new Date(nowMs + seconds * 1000).toISOString();
  const chosen = new Date(at);
  return Number.isNaN(chosen.getTime()) ? at : chosen.toISOString();
}
