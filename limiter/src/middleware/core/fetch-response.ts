import type { Answered, ResponseEnd, ResponseFacts } from './facts.ts';

/** The response of a handler that returns one, from before it is there to its last byte. */
export class FetchResponse {
  readonly #signal: () => AbortSignal;
  readonly #listeners: ((end: ResponseEnd) => void)[] = [];
  #end: ResponseEnd | undefined;
  readonly headers: Record<string, string> = {};

  /** The signal that is aborted when the caller goes away. */
  constructor(signal: () => AbortSignal) {
    this.#signal = signal;
  }

  #captured: ((answered: Answered | null) => void) | undefined;
  #bytesMax = 0;

  readonly facts: ResponseFacts = {
    capture: (bytesMax) => {
      this.#bytesMax = bytesMax;
      return new Promise((resolve) => (this.#captured = resolve));
    },
    isSent: false,
    setHeader: (name, value) => void (this.headers[name] = value),
    onEnd: (listener) => {
      if (this.#end) return listener(this.#end);
      if (this.#listeners.push(listener) > 1) return undefined;
      const signal = this.#signal();
      const leave = () => this.#finish({ status: 499, completed: false });
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      return undefined;
    },
  };

  /** There will be none: the handler threw. */
  fail(): void {
    this.#captured?.(null);
    this.#finish({ status: 500, completed: false });
  }

  /** Watched to its last byte, where somebody waits for that. */
  watched(response: Response): Response {
    const { status, body } = response;
    const isWatched = this.#listeners.length > 0 || this.#captured !== undefined;
    if (isWatched && body) return new Response(this.#watch(body, response), response);
    this.#capture(response, []);
    this.#finish({ status, completed: true });
    return response;
  }

  #watch(body: ReadableStream<Uint8Array>, response: Response): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const chunks: Uint8Array[] = [];
    const { status } = response;
    const finish = (completed: boolean) => {
      if (completed) this.#capture(response, chunks);
      else this.#captured?.(null);
      this.#finish({ status, completed });
    };
    const keep = (chunk: Uint8Array) => void (this.#captured && chunks.push(chunk));
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            keep(value);
            return controller.enqueue(value);
          }
          controller.close();
          finish(true);
        } catch (error) {
          finish(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        finish(false);
        await reader.cancel(reason);
      },
    });
  }

  #capture({ status, headers }: Response, chunks: readonly Uint8Array[]): void {
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    const answered = { status, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) };
    this.#captured?.(size > this.#bytesMax ? null : answered);
  }

  #finish(end: ResponseEnd): void {
    if (this.#end) return;
    this.#end = end;
    for (const listener of this.#listeners) listener(end);
  }
}
