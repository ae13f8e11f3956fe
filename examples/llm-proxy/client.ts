// A user of the proxy, for the show: prints nothing, tells what came.

export type Wanted = {
  readonly user: string;
  readonly requestId: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Called with every token. True: hang up. */
  readonly onToken?: (count: number) => boolean;
};

export type Got = {
  readonly status: number;
  readonly headers: Headers;
  readonly tokens: readonly string[];
  /** Whether it ended as it should, or broke off. */
  readonly done: boolean;
  /** Of a refusal. */
  readonly message: string;
};

export async function complete(proxyUrl: string, wanted: Wanted): Promise<Got> {
  const { user, requestId, prompt, maxTokens, onToken = () => false } = wanted;
  const hangUp = new AbortController();
  const response = await fetch(`${proxyUrl}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': user, 'x-request-id': requestId },
    body: JSON.stringify({ prompt, max_tokens: maxTokens }),
    signal: hangUp.signal,
  });
  const { status, headers, body } = response;
  const tokens: string[] = [];
  const got = { status, headers, tokens, done: false, message: '' };
  if (status !== 200 || !body) return { ...got, message: await messageIn(response) };
  try {
    for await (const event of eventsIn(body)) {
      if (event.startsWith('event: done')) return { ...got, done: true };
      tokens.push((JSON.parse(event.slice('data: '.length)) as { token: string }).token);
      if (onToken(tokens.length)) hangUp.abort();
    }
  } catch {
    // Hung up, or the proxy died: what came is all there is.
  }
  return got;
}

async function* eventsIn(body: NonNullable<Response['body']>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    yield* events;
  }
}

async function messageIn(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return error.message;
}
