import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseStoppedError } from '../unavailable.ts';
import { FolderLock } from './folder-lock.ts';
import { type Line, ThreadSocket } from './socket.ts';
import type { Order, Report } from './worker.mjs';

const workerUrl = new URL('./worker.mjs', import.meta.url);
const closeTimeoutMs = 10_000;

/**
 * PostgreSQL in a thread of this process, alone with its folder. It knows one session at a time:
 * sockets get their turn in the order they connect.
 */
export class EmbeddedPostgres {
  readonly #folder: string;
  readonly #lock: FolderLock;
  #thread: Promise<Thread> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(folder: string, lock: FolderLock) {
    this.#folder = folder;
    this.#lock = lock;
    lock.onLost(() => this.#abandon());
  }

  /** Resolves when it answers; the first start makes the database, which takes some seconds. */
  static async open(path: string): Promise<EmbeddedPostgres> {
    await mkdir(path, { recursive: true });
    const folder = await realpath(path);
    const lock = await FolderLock.take(folder);
    try {
      await createUnlessThere(folder);
      const server = new EmbeddedPostgres(folder, lock);
      await server.#running();
      return server;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  openSocket(): ThreadSocket {
    return new ThreadSocket((socket) => this.#connect(socket));
  }

  async #connect(socket: ThreadSocket): Promise<Line> {
    const before = this.#turn;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    this.#turn = Promise.all([before, closed]);
    await before;
    const thread = await this.#running();
    return thread.serve(socket);
  }

  /** A thread that ended is started again by who needs it next. */
  #running(): Promise<Thread> {
    if (this.#isClosed) throw new DatabaseStoppedError('the embedded database is closed');
    return (this.#thread ??= Thread.start(this.#folder, () => {
      this.#thread = undefined;
    }));
  }

  /** Another process took the folder: nothing may be written to it any more. */
  #abandon(): void {
    this.#isClosed = true;
    void this.#thread?.then((thread) => thread.kill()).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => undefined);
    await thread?.stop();
    await this.#lock.release();
  }
}

/** In a folder beside it first, so that a start that is cut short leaves no half of a database. */
async function createUnlessThere(folder: string): Promise<void> {
  const entries = await readdir(folder);
  if (entries.includes('PG_VERSION')) return;
  if (entries.length > 0) {
    throw new Error(
      `${folder} holds files, but no database. Name an empty folder, or one that does not exist.`,
    );
  }
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  // Making it takes twice the memory of running it, which ends with the thread.
  const thread = await Thread.start(draft, () => {});
  await thread.stop();
  await rename(draft, folder);
}

class Thread {
  readonly #worker: Worker;
  readonly #ended: Promise<Error>;
  #socket: ThreadSocket | undefined;
  #sessions = 0;

  private constructor(folder: string, onEnd: () => void) {
    // Not the options this process was started with: what loads TypeScript or traces has no place.
    this.#worker = new Worker(workerUrl, { workerData: { folder }, execArgv: [] });
    this.#ended = new Promise((resolve) => {
      let cause: Error | undefined;
      this.#worker.on('error', (error) => {
        cause ??= error;
      });
      this.#worker.once('exit', () => {
        onEnd();
        resolve(this.#end(cause));
      });
    });
  }

  static async start(folder: string, onEnd: () => void): Promise<Thread> {
    const thread = new Thread(folder, onEnd);
    const ready = new Promise<undefined>((resolve) => {
      thread.#worker.once('message', () => resolve(undefined));
    });
    const failure = await Promise.race([ready, thread.#ended]);
    if (failure) throw failure;
    thread.#worker.on('message', (report: Report) => thread.#deliver(report));
    return thread;
  }

  serve(socket: ThreadSocket): Line {
    const session = (this.#sessions += 1);
    this.#socket = socket;
    let hasSaid = false;
    return {
      send: (bytes) => {
        hasSaid = true;
        this.#order({ kind: 'send', session, bytes }, [bytes.buffer]);
      },
      leave: () => {
        if (this.#socket === socket) this.#socket = undefined;
        // Who gave up before its turn left nothing, and the next one may be at work already.
        if (hasSaid) this.#order({ kind: 'leave', session });
      },
    };
  }

  #order(order: Order, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, transfer);
  }

  #deliver(report: Report): void {
    // An answer that nobody waits for any more is not the next one's.
    if (report.kind === 'reply' && report.session === this.#sessions) {
      this.#socket?.push(report.bytes);
    }
  }

  #end(cause: Error | undefined): Error {
    const reason = cause ? `: ${cause.message}` : '';
    const error = new DatabaseStoppedError(`the embedded database has stopped${reason}`, { cause });
    this.#socket?.destroy(error);
    return error;
  }

  async stop(): Promise<void> {
    this.#order({ kind: 'close' });
    const timer = new AbortController();
    const late = sleep(closeTimeoutMs, 'late', { signal: timer.signal }).catch(() => undefined);
    if ((await Promise.race([this.#ended, late])) === 'late') await this.kill();
    timer.abort();
  }

  async kill(): Promise<void> {
    await this.#worker.terminate();
  }
}
