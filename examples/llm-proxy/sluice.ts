// The four things that the proxy says to Sluice, over its HTTP API.

export type Limit = {
  readonly name: string;
  readonly unit: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
};

/** What we read of a decision. */
export type Decision = {
  readonly allowed: boolean;
  readonly message: string;
  readonly replayed: boolean;
  readonly blocked_by: { readonly limit: string | null; readonly reason: string } | null;
  readonly reservation: { readonly id: string; readonly expires_at: number } | null;
  readonly limits: readonly Limit[];
};

export type Asked = {
  readonly user: string;
  readonly requestId: string;
  readonly tokens: number;
  readonly holdMs: number;
};

export type Settled = {
  readonly settled: boolean;
  readonly late: boolean;
  readonly debt: number;
};

const resource = 'POST:/v1/completions';
const timeoutMs = 5000;

/** What is no answer to the question: a key that is not accepted, a store that is away, … */
export class SluiceProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export class Sluice {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Holds the most that the call can take. Asked again with the same id, it holds nothing more. */
  async reserve({ user, requestId, tokens, holdMs }: Asked) {
    const response = await this.#post('check', {
      resource,
      subject: `user:${user}`,
      cost: 1,
      costs: { tokens },
      idempotency_key: requestId,
      reserve: { ttl_ms: holdMs },
    });
    const decision = await read<Decision>(response, [200, 429]);
    return { decision, retryAfter: response.headers.get('retry-after') };
  }

  /** For a call that goes on. False: the hold ran out before, and settling will be late. */
  async heartbeat(reservationId: string, holdMs: number): Promise<boolean> {
    const beat = { reservation_id: reservationId, ttl_ms: holdMs };
    const response = await this.#post('heartbeat', beat);
    return (await read<{ readonly renewed: boolean }>(response, [200])).renewed;
  }

  /** Charges what it really took. Null: no such reservation, or forgotten for long. */
  async settle(reservationId: string, tokens: number): Promise<Settled | null> {
    const response = await this.#post('settle', {
      reservation_id: reservationId,
      // What never began was no request either.
      cost: tokens === 0 ? 0 : 1,
      costs: { tokens },
    });
    try {
      return await read<Settled>(response, [200]);
    } catch (error) {
      // A wrong address is a 404 too, and must not pass for a reservation that is forgotten.
      if (error instanceof SluiceProblem && error.code === 'unknown_reservation') return null;
      throw error;
    }
  }

  /** Costs nothing, so it only looks. Open holds count as used. */
  async peek(user: string): Promise<readonly Limit[]> {
    const look = { resource, subject: `user:${user}`, cost: 0, costs: { tokens: 0 } };
    const response = await this.#post('check', look);
    return (await read<Decision>(response, [200, 429])).limits;
  }

  #post(route: string, body: object): Promise<Response> {
    return fetch(`${this.#url}/v1/${route}`, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }
}

async function read<Body>(response: Response, expected: readonly number[]): Promise<Body> {
  const body = (await response.json()) as Body & Partial<SluiceProblem & { detail: string }>;
  // A 429 may also be a problem: for those who guess keys.
  const isProblem = response.headers.get('content-type')?.includes('problem') === true;
  if (!isProblem && expected.includes(response.status)) return body;
  const { code = 'unknown', detail = `Sluice answered ${response.status}` } = body;
  throw new SluiceProblem(response.status, code, detail);
}
