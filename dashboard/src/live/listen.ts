import { problemOf, ApiProblem } from '../api/problem.ts';
import { bearer, send } from '../api/request.ts';
import { endSession } from '../session/end-session.ts';
import { currentToken } from '../session/token.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { waitBefore } from './back-off.ts';

export type ListenState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Between two attempts. */
  | { readonly kind: 'waiting'; readonly untilMs: number }
  /** Another attempt would not help. */
  | { readonly kind: 'off'; readonly reason: ApiProblem };

/** The service speaks every second; who has not heard it for so long has lost it. */
const silenceMsMax = 5000;

/**
 * Server-sent events with a credential in a header, which `EventSource` can't send. Comes again when
 * the stream ends, later each time it fails, and says where it left off.
 */
export async function listen(options: {
  readonly path: string;
  /** Where to start: the id of an event. */
  readonly after: string;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: ListenState) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { path, onEvent, onState, signal } = options;
  let after = options.after;
  let failures = 0;
  const hear = (event: ServerEvent) => {
    after = event.id;
    onEvent(event);
  };
  while (!signal.aborted) {
    onState({ kind: 'connecting' });
    const problem = await hearStream(path, after, { hear, onState, signal });
    if (signal.aborted) return;
    if (problem && !isWorthComingAgain(problem)) {
      if (problem.status === 401) endSession();
      return onState({ kind: 'off', reason: problem });
    }
    failures = problem ? failures + 1 : 0;
    const waitMs = waitBefore(failures);
    onState({ kind: 'waiting', untilMs: Date.now() + waitMs });
    await wait(waitMs, signal);
  }
}

type Hearing = {
  readonly hear: (event: ServerEvent) => void;
  readonly onState: (state: ListenState) => void;
  readonly signal: AbortSignal;
};

/** Null when it ended as it should: the service ends every stream after a while. */
async function hearStream(
  path: string,
  after: string,
  { hear, onState, signal }: Hearing,
): Promise<ApiProblem | null> {
  const silence = new AbortController();
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const heardSomething = () => {
    clearTimeout(alarm);
    alarm = setTimeout(() => silence.abort(), silenceMsMax);
  };
  try {
    heardSomething();
    const headers = { ...bearer(currentToken()), 'last-event-id': after };
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await send('GET', path, { headers, signal: either });
    if (!response.ok || !response.body) return await problemOf(response);
    onState({ kind: 'live' });
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heardSomething();
      for (const event of parser.feed(part.value)) hear(event);
    }
    return null;
  } catch (error) {
    return error instanceof ApiProblem ? error : new ApiProblem(0, 'unreachable', 'It broke off.');
  } finally {
    clearTimeout(alarm);
  }
}

function isWorthComingAgain({ status }: ApiProblem): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function wait(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
