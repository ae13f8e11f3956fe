/** A value, or one that is still to come. */
export type Maybe<T> = T | Promise<T>;

/** What a function of the options returned may be anybody's promise. */
export function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** Goes on at once where there is nothing to wait for: to wait costs more than most decisions. */
export function after<T, R>(value: Maybe<T>, use: (value: T) => Maybe<R>): Maybe<R> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value);
}

/** `try` and `catch` for both. */
export function attempt<T>(run: () => Maybe<T>, failed: (error: unknown) => Maybe<T>): Maybe<T> {
  try {
    const value = run();
    return isPromise(value) ? Promise.resolve(value).catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
