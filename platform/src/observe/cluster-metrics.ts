import { aggregate, isCounted, merge, type Metrics, type MetricsSnapshot } from './metrics.ts';

/** The other end of a worker's channel: `process` in a worker, a `Worker` in the primary. */
export type Channel = {
  send?(message: unknown, callback: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
};

/** All that travels between primary and workers about metrics. */
type Message =
  | { readonly sluice: 'scrape'; readonly id: number }
  | { readonly sluice: 'snapshot'; readonly id: number; readonly snapshot: MetricsSnapshot }
  | { readonly sluice: 'ask-sum'; readonly id: number }
  | { readonly sluice: 'sum'; readonly id: number; readonly text: string };

type Kind = Message['sluice'];

/** No request: a worker's figures as it leaves. */
const farewell = 0;

const collectMsMax = 1_000;
const askMsMax = 3_000;
const farewellMsMax = 500;

export type WorkerMetrics = {
  /** The sum over all workers; this worker's own when the primary does not answer. */
  text(): Promise<string>;
  /** Leaves the last figures with the primary. */
  close(): Promise<void>;
};

/** In a worker: answers the primary's scrapes, and asks it for the sum. */
export function answerScrapes(metrics: Metrics, primary: Channel): WorkerMetrics {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;

  const sendSnapshot = async (id: number) => {
    const snapshot = await metrics.snapshot();
    await said(primary, { sluice: 'snapshot', id, snapshot });
  };

  const listener = (message: unknown) => {
    if (isMessage(message, 'scrape')) void sendSnapshot(message.id).catch(() => {});
    if (isMessage(message, 'sum')) waiting.get(message.id)?.(message.text);
  };
  primary.on('message', listener);

  return {
    text: async () => {
      const id = ++lastId;
      const sum = new Promise<string>((resolve) => waiting.set(id, resolve));
      const asked = said(primary, { sluice: 'ask-sum', id });
      const text = await within(
        asked.then((isAsked) => (isAsked ? sum : null)),
        askMsMax,
      );
      waiting.delete(id);
      return text ?? metrics.text();
    },
    close: async () => {
      primary.off('message', listener);
      const snapshot = await metrics.snapshot();
      await within(said(primary, { sluice: 'snapshot', id: farewell, snapshot }), farewellMsMax);
    },
  };
}

/**
 * In the primary: adds up what the workers count. A worker that is gone, or too busy to answer,
 * counts with what was last heard of it: a sum that went down would look like a restart to
 * Prometheus, which would then count everything once more.
 */
export class ClusterMetrics {
  readonly #workers = new Map<Channel, Heard>();
  #departed: Promise<MetricsSnapshot> = Promise.resolve([]);
  #lastId = farewell;

  add(worker: Channel): void {
    const heard: Heard = { last: null, waiting: new Map(), listener: () => {} };
    heard.listener = (message) => this.#onMessage(worker, heard, message);
    this.#workers.set(worker, heard);
    worker.on('message', heard.listener);
  }

  /**
   * The worker is gone: call it on `disconnect`, when all it said has been heard. What it counted
   * stays, what it only held does not.
   */
  remove(worker: Channel): void {
    const heard = this.#workers.get(worker);
    if (!heard) return;
    this.#workers.delete(worker);
    worker.off('message', heard.listener);
    for (const resolve of heard.waiting.values()) resolve();
    const counted = heard.last?.filter(isCounted) ?? [];
    this.#departed = this.#departed.then((departed) => merge([departed, counted]));
  }

  /** The sum over all workers, as Prometheus reads it. */
  async collect(msMax = collectMsMax): Promise<string> {
    await Promise.all(
      [...this.#workers].map(([worker, heard]) => this.#scrape(worker, heard, msMax)),
    );
    const snapshots = [...this.#workers.values()].flatMap(({ last }) => (last ? [last] : []));
    return aggregate([...snapshots, await this.#departed]);
  }

  async #scrape(worker: Channel, heard: Heard, msMax: number): Promise<void> {
    const id = ++this.#lastId;
    const answered = new Promise<void>((resolve) => heard.waiting.set(id, resolve));
    const asked = said(worker, { sluice: 'scrape', id });
    await within(
      asked.then((isAsked) => (isAsked ? answered : undefined)),
      msMax,
    );
    heard.waiting.delete(id);
  }

  #onMessage(worker: Channel, heard: Heard, message: unknown): void {
    if (isMessage(message, 'snapshot')) {
      heard.last = message.snapshot;
      heard.waiting.get(message.id)?.();
    }
    if (isMessage(message, 'ask-sum')) void this.#answerSum(worker, message.id).catch(() => {});
  }

  async #answerSum(worker: Channel, id: number): Promise<void> {
    await said(worker, { sluice: 'sum', id, text: await this.collect() });
  }
}

type Heard = {
  last: MetricsSnapshot | null;
  readonly waiting: Map<number, () => void>;
  listener: (message: unknown) => void;
};

/** Whether the other end still takes messages. */
function said(channel: Channel, message: Message): Promise<boolean> {
  return new Promise((resolve) => {
    if (!channel.send) return resolve(false);
    try {
      channel.send(message, (error) => resolve(error === null));
    } catch {
      resolve(false);
    }
  });
}

async function within<T>(work: Promise<T>, msMax: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, msMax, null)));
  const result = await Promise.race([work, late]);
  clearTimeout(timer);
  return result;
}

function isMessage<K extends Kind>(
  message: unknown,
  kind: K,
): message is Extract<Message, { readonly sluice: K }> {
  return (
    typeof message === 'object' &&
    message !== null &&
    'sluice' in message &&
    message.sluice === kind
  );
}
