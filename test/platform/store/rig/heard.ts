/** Resolves with the next event of that name; errors meanwhile are not the test's concern. */
export function heard(
  emitter: { once(event: string, listener: () => void): unknown },
  event: string,
): Promise<void> {
  return new Promise((resolve) => {
    emitter.once(event, () => resolve());
  });
}
