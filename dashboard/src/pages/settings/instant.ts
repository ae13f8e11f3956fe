/** What a field for a date and time has, as the API takes it: null where nothing was chosen. */
export function instantOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}

/** The other way round: a time as such a field has it, in the reader's own zone. */
export function localOf(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  const localMs = date.getTime() - date.getTimezoneOffset() * 60_000;
  return new Date(localMs).toISOString().slice(0, 16);
}
