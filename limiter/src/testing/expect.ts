/**
 * An answer as any client of tests has it: `fetch` and Hono (`status`, `Headers`), supertest (`status`,
 * plain headers), Fastify's `inject` (`statusCode`).
 */
export type AnyResponse = {
  readonly status?: number | undefined;
  readonly statusCode?: number | undefined;
  readonly headers: { get(name: string): string | null } | Readonly<Record<string, unknown>>;
};

export type Expected = {
  readonly status?: number;
  /** Of the limit shown. */
  readonly limit?: number;
  readonly remaining?: number;
  readonly retryAfterSeconds?: number;
};

/** Throws unless the answer is a refusal by a limit, and says all that a caller needs. */
export function expectLimited(response: AnyResponse, expected: Expected = {}): void {
  const { status = 429, ...rest } = expected;
  requireStatus(response, (got) => got === status, String(status));
  requireFields(response, rest);
}

/** Throws unless the answer is none. */
export function expectAllowed(response: AnyResponse, expected: Expected = {}): void {
  const { status, ...rest } = expected;
  const isIt = (got: number) => (status === undefined ? got !== 429 : got === status);
  requireStatus(response, isIt, status === undefined ? 'any but 429' : String(status));
  requireFields(response, rest);
}

function requireStatus(
  { status, statusCode }: AnyResponse,
  isIt: (status: number) => boolean,
  wanted: string,
): void {
  const got = status ?? statusCode;
  if (got === undefined || !isIt(got)) throw new Error(`expected status ${wanted}, got ${got}`);
}

const names = {
  limit: ['x-ratelimit-limit', 'ratelimit-limit'],
  remaining: ['x-ratelimit-remaining', 'ratelimit-remaining'],
  retryAfterSeconds: ['retry-after'],
} as const;

function requireFields(response: AnyResponse, expected: Omit<Expected, 'status'>): void {
  for (const field of Object.keys(names) as (keyof typeof names)[]) {
    const wanted = expected[field];
    if (wanted === undefined) continue;
    const [name = ''] = names[field].filter((one) => headerOf(response, one) !== undefined);
    const got = headerOf(response, name);
    if (got === String(wanted)) continue;
    const where = name === '' ? names[field].join(' or ') : name;
    throw new Error(`expected ${where} to be ${wanted}, got ${got ?? 'none'}`);
  }
}

function headerOf({ headers }: AnyResponse, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers.get(name) as string | null) ?? undefined;
  const value = (headers as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
