export type Call = {
  readonly user: string;
  readonly requestId: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Hears of every token, as it comes. True: hang up. */
  readonly onToken?: (count: number, replayed: boolean) => boolean;
};

export type Got = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly replayed: boolean;
  readonly tokens: readonly string[];
  /** What the last event says; null where it broke off. */
  readonly done: {
    readonly state: string;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  } | null;
  readonly error: {
    readonly message: string;
    readonly limit?: string;
    readonly reason?: string;
  } | null;
};

/** Asks the proxy, and reads its events until they end, break off or are too many. */
export async function complete(proxyUrl: string, call: Call): Promise<Got> {
  const { user, requestId, prompt, maxTokens, onToken = () => false } = call;
  const hangUp = new AbortController();
  const response = await fetch(`${proxyUrl}/v1/completions`, {
    method: 'POST',
    headers: { 'x-user': user, 'x-request-id': requestId },
    body: JSON.stringify({ prompt, max_tokens: maxTokens }),
    signal: hangUp.signal,
  });
  const tokens: string[] = [];
  const replayed = response.headers.get('x-replayed') === 'true';
  const retryAfter = response.headers.get('retry-after');
  const got = { status: response.status, retryAfter, replayed, tokens, done: null, error: null };
  if (!response.ok) return { ...got, ...((await response.json()) as Pick<Got, 'error'>) };
  try {
    let text = '';
    for await (const chunk of response.body ?? []) {
      const events = (text + Buffer.from(chunk).toString()).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = JSON.parse(event.slice(event.indexOf('{'))) as { readonly token: string };
        if (event.startsWith('event: done')) return { ...got, done: data as never };
        tokens.push(data.token);
        if (onToken(tokens.length, replayed)) hangUp.abort();
      }
    }
  } catch (error) {
    // Broken off by either side; anything else is a fault of this test.
    if (error instanceof SyntaxError) throw error;
  }
  return got;
}
