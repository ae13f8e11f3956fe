const names = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  trioLimit: 'RateLimit-Limit',
  trioRemaining: 'RateLimit-Remaining',
  trioReset: 'RateLimit-Reset',
  retryAfter: 'Retry-After',
  policy: 'RateLimit-Policy',
  state: 'RateLimit',
  warning: 'X-RateLimit-Warning',
} as const;

export type Names = Readonly<Record<keyof typeof names, string>>;

const lowerNames = Object.fromEntries(
  Object.entries(names).map(([field, name]) => [field, name.toLowerCase()]),
) as Names;

/** Every field that is ever written, as people spell it or in lower case. */
export function spelledNames(lowerCase: boolean): Names {
  return lowerCase ? lowerNames : names;
}
