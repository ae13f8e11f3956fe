import { Duplex } from 'node:stream';

/** How a socket reaches the thread, once it is its turn. */
export type Line = {
  send(bytes: Uint8Array<ArrayBuffer>): void;
  leave(): void;
};

/** Answers go to the socket by `push`, the end of the thread by `destroy`. */
export type Connect = (socket: ThreadSocket) => Promise<Line>;

/** What the driver takes for a TCP socket. */
export class ThreadSocket extends Duplex {
  readonly #connect: Connect;
  #line: Line | undefined;

  constructor(connect: Connect) {
    super();
    this.#connect = connect;
  }

  connect(): this {
    void this.#open();
    return this;
  }

  async #open(): Promise<void> {
    try {
      const line = await this.#connect(this);
      if (this.destroyed) return line.leave();
      this.#line = line;
      this.emit('connect');
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send([chunk]);
    done();
  }

  /** The driver corks the messages of one query: they travel as one. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(chunks.map(({ chunk }) => chunk));
    done();
  }

  #send(chunks: readonly Buffer[]): void {
    const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#line?.send(bytes);
  }

  override _final(done: () => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line?.leave();
    this.#line = undefined;
    done(error);
  }

  // What else the driver calls on a TCP socket means nothing here.

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
