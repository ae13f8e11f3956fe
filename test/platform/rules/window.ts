/** Limits whose windows are so long that no test sees the end of one. */
export function window(name: string, limit: number, more: object = {}): object {
  return { name, algorithm: 'fixed_window', limit, window_seconds: 864_000, ...more };
}
