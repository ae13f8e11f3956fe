/** Fields as the API takes them; undefined is not sent. */
export type Sent = Readonly<Record<string, unknown>>;

/** What of it is not as it was. */
export function changedIn(before: Sent, after: Sent): Sent {
  const isChanged = ([field, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before[field]);
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}
