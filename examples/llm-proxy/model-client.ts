// The model as the proxy sees it: somebody else's API.

/** What the model will bill, and what it said. */
export type Book = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly tokens: readonly string[];
  readonly state: 'running' | 'complete' | 'stopped';
};

export type Prompt = { readonly prompt: string; readonly maxTokens: number };

const timeoutMs = 5000;

export class ModelClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Server-sent events, as they come. */
  async generate(id: string, { prompt, maxTokens }: Prompt, signal: AbortSignal) {
    const response = await fetch(`${this.#url}/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, prompt, max_tokens: maxTokens }),
      signal,
    });
    if (response.ok && response.body) return response.body;
    throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  }

  /**
   * Its last word. Not a mere look: the model may not yet have noticed that nobody listens, or may
   * not even have read the call that was to begin it.
   */
  async stop(id: string): Promise<Book> {
    const signal = AbortSignal.timeout(timeoutMs);
    return readBook(await fetch(`${this.#url}/generations/${id}/stop`, { method: 'POST', signal }));
  }

  /** Null where it never heard of it. */
  async look(id: string): Promise<Book | null> {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${this.#url}/generations/${id}`, { signal });
    if (response.status !== 404) return readBook(response);
    await response.body?.cancel();
    return null;
  }
}

async function readBook(response: Response): Promise<Book> {
  const text = await response.text();
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${text}`);
  return JSON.parse(text) as Book;
}
