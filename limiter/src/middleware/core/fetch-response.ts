import type { ResponseEnd, ResponseFacts } from './facts.ts';

/** The response of a handler that returns one, from before it is there to its last byte. */
export class FetchResponse {
  readonly #signal: () => AbortSignal;
  readonly #listeners: ((end: ResponseEnd) => void)[] = [];
  #end: ResponseEnd | undefined;
  headers: Readonly<Record<string, string>> = {};

  /** The signal that is aborted when the caller goes away. */
  constructor(signal: () => AbortSignal) {
    this.#signal = signal;
  }

  readonly facts: ResponseFacts = {
    setHeaders: (headers) => void (this.headers = { ...this.headers, ...headers }),
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
    this.#finish({ status: 500, completed: false });
  }

  /** Watched to its last byte, where somebody waits for that. */
  watched(response: Response): Response {
    const { status, body } = response;
    if (this.#listeners.length === 0 || !body) {
      this.#finish({ status, completed: true });
      return response;
    }
    return new Response(this.#watch(body, status), response);
  }

  #watch(body: ReadableStream<Uint8Array>, status: number): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const finish = (completed: boolean) => this.#finish({ status, completed });
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
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

  #finish(end: ResponseEnd): void {
    if (this.#end) return;
    this.#end = end;
    for (const listener of this.#listeners) listener(end);
  }
}
