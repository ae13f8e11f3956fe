/** A value, or one that is still to come. */
export type Maybe<T> = T | Promise<T>;

/** What a function of the options returned may be anybody's promise. */
export function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** What our own functions returned is a promise of the language or none: that is seen at a glance. */
export function isOwnPromise<T>(value: Maybe<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Goes on at once where there is nothing to wait for: to wait costs more than most decisions. */
export function after<T, R>(value: Maybe<T>, use: (value: T) => Maybe<R>): Maybe<R> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value);
}
