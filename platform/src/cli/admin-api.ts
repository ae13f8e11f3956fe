const timeoutMs = 30_000;
const pageSize = 100;

export type Stored = { readonly id: string; readonly version: number };
export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

/** The admin API of a running service. What it refuses is thrown in its words, and never the token. */
export class AdminApi {
  readonly #base: string;
  readonly #token: string;

  constructor(url: string, token: string | undefined) {
    const { protocol, host, pathname, username } = parseUrl(url);
    if (!['http:', 'https:'].includes(protocol) || username !== '') {
      throw new Error('--apply takes an address such as http://127.0.0.1:8080');
    }
    if (!token) throw new Error('set SLUICE_ADMIN_TOKEN to a token that may write all');
    this.#base = `${protocol}//${host}${pathname.replace(/\/+$/, '')}/v1/admin`;
    this.#token = token;
  }

  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(refusalOf(response.status, text));
    return JSON.parse(text) as T;
  }

  /** All of a list, page by page. */
  async list<T>(path: string, query: Readonly<Record<string, string>>): Promise<readonly T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const asked = { ...query, limit: String(pageSize), ...(cursor !== null && { cursor }) };
      const page: Page<T> = await this.send(
        'GET',
        `${path}?${new URLSearchParams(asked).toString()}`,
      );
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return items;
  }

  async #fetch(method: string, path: string, body?: object): Promise<Response> {
    try {
      return await fetch(`${this.#base}/${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new Error(`no answer from ${this.#base}${codeOf(error)}`, { cause: error });
    }
  }
}

/** Why, as the system calls it: ECONNREFUSED, say. */
function codeOf(error: unknown): string {
  const cause =
    error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return cause?.code === undefined ? '' : ` (${cause.code})`;
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new Error('--apply takes an address such as http://127.0.0.1:8080');
  }
}

/** Problems are JSON with a sentence; anything else is not worth showing. */
function refusalOf(status: number, text: string): string {
  try {
    const { detail, errors = [] } = JSON.parse(text) as {
      readonly detail?: string;
      readonly errors?: readonly { readonly field: string; readonly problem: string }[];
    };
    const fields = errors.map(({ field, problem }) => `; ${field} ${problem}`).join('');
    return `the service answered ${status}: ${detail ?? 'no reason'}${fields}`;
  } catch {
    return `the service answered ${status}`;
  }
}
