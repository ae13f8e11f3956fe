import { currentToken } from '../session/token.ts';
import { problemOf, unreachable } from './problem.ts';

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Asking = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Where the API is: beside this page, under whatever prefix both are served. */
export function addressOf(path: string, query: Query = {}): URL {
  const url = new URL(path, document.baseURI);
  url.hash = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') {
      url.searchParams.set(name, String(value));
    }
  }
  return url;
}

/** An answer whatever its status; what is no answer at all is an `ApiProblem`. */
export async function send(method: Method, path: string, asking: Asking = {}): Promise<Response> {
  const { query, body, headers, signal } = asking;
  try {
    return await fetch(addressOf(path, query), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      credentials: 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

/** Below `/v1/admin/`, as whoever is signed in. */
export async function admin<T>(method: Method, path: string, asking: Asking = {}): Promise<T> {
  const response = await send(method, `v1/admin/${path}`, {
    ...asking,
    headers: { ...bearer(currentToken()), ...asking.headers },
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

/** Without any credential. */
export async function open<T>(path: string, asking: Asking = {}): Promise<T> {
  const response = await send('GET', path, asking);
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

export function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}
