import { InvalidInput, IdempotencyConflict, StoreFailure } from '../core/errors.ts';

/** What is used of `fetch`: any that speaks of requests and responses will do. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = {
  readonly url: string;
  readonly fetch: Fetch;
};

/** What the service said was wrong. */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly problem: string }[];
};

/** After this long even an answer that nobody waits for is given up. */
const abandonMs = 10_000;

/** One call to the service: JSON there, JSON back. Anything else is a `StoreFailure`. */
export class Transport {
  readonly #url: string;
  readonly #fetch: Fetch;

  constructor({ url, fetch }: TransportOptions) {
    this.#url = url;
    this.#fetch = fetch;
  }

  async post(path: string, apiKey: string, body: unknown): Promise<unknown> {
    const response = await this.#send(path, apiKey, JSON.stringify(body));
    const answer = await readJson(response);
    // A refusal of a check is an answer, and no problem.
    if (response.ok || (response.status === 429 && !isProblem(answer))) return answer;
    throw errorOf(isProblem(answer) ? answer : undefined, response.status);
  }

  async #send(path: string, apiKey: string, body: string): Promise<Response> {
    try {
      return await this.#fetch(`${this.#url}${path}`, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body,
        signal: AbortSignal.timeout(abandonMs),
      });
    } catch (error) {
      throw new StoreFailure('unreachable', error);
    }
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw new StoreFailure(response.ok ? 'unreadable' : `http_${response.status}`, error);
  }
}

export function isProblem(answer: unknown): answer is Problem {
  const { status, code } = (answer ?? {}) as Partial<Problem>;
  return typeof status === 'number' && typeof code === 'string';
}

/** What the caller did wrong throws as in the library; all else is a failure to ask. */
export function errorOf(problem: Problem | undefined, status: number): Error {
  if (problem?.code === 'idempotency_conflict') return new IdempotencyConflict();
  if (problem?.status === 400) {
    const [first] = problem.errors ?? [];
    return new InvalidInput(first?.field ?? 'check', first?.problem ?? problem.detail);
  }
  return new StoreFailure(problem?.code ?? `http_${status}`);
}
