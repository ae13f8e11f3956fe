/** What a field for a date and time has, as the API takes it: null where nothing was chosen. */
export function instantOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}
