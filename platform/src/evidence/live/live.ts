import { mergeFigures, type Figures, type LiveSecond, type Stores } from './figures.ts';
import type { LiveCollector } from './collector.ts';

/** Where nodes tell each other what they saw. */
export type LiveBoard = {
  post(topic: string, text: string): Promise<void>;
  read(topic: string): Promise<readonly string[]>;
};

export type LiveParts = {
  readonly collector: Pick<LiveCollector, 'take'>;
  readonly board: LiveBoard;
  readonly stores: () => Stores;
  readonly nowMs?: () => number;
};

/** Told of each second, and again of one that a node was late with; `end` when there are no more. */
export type Listener = {
  tell(second: LiveSecond): void;
  end(): void;
};

const turnMs = 500;
/** A timer may come a little early, and would meet a second that is not over. */
const marginMs = 20;
/** How long after its end a second is first told: by then most nodes have said what they saw. */
const settleMs = 500;
/** For so long, those that were late are waited for. */
const lateSeconds = 5;
/** How far back a listener that was away is told what it missed. */
const missedSecondsMax = 60;
export const listenersMax = 20;

/**
 * Every node posts what it saw of each second. Those with listeners read what all nodes posted and
 * tell them: so it makes no difference which node a console is connected to, and nobody pays for
 * listeners that are not there.
 */
export class Live {
  readonly #parts: LiveParts;
  readonly #nowMs: () => number;
  readonly #listeners = new Set<Listener>();
  /** What was told of the last seconds, as text. */
  readonly #told = new Map<number, string>();
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> | null = null;
  #posted = 0;
  #ended = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? Date.now;
  }

  start(): void {
    this.#posted = this.#lastOver();
    this.#plan();
  }

  /** Null when there are too many. */
  listen(listener: Listener): (() => void) | null {
    if (this.#ended || this.#listeners.size >= listenersMax) return null;
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What came after this second, as far as it is still known. */
  async since(second: number): Promise<readonly LiveSecond[]> {
    const upTo = this.#lastOver(settleMs);
    const from = Math.max(second + 1, upTo - missedSecondsMax + 1);
    const seconds: LiveSecond[] = [];
    for (let at = from; at <= upTo; at += 1) seconds.push(await this.#read(at));
    return seconds.filter(({ nodes }) => nodes > 0);
  }

  async stop(): Promise<void> {
    this.end();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#working;
  }

  /** Lets all listeners go: they come back, to another node. */
  end(): void {
    this.#ended = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  #plan(): void {
    const inMs = turnMs - (this.#nowMs() % turnMs) + marginMs;
    this.#timer = setTimeout(() => {
      // A board that is away leaves a gap: what it missed is no news any more.
      this.#working ??= this.#turn()
        .catch(() => {})
        .finally(() => (this.#working = null));
      this.#plan();
    }, inMs).unref();
  }

  async #turn(): Promise<void> {
    const { collector, board, stores } = this.#parts;
    const over = this.#lastOver();
    for (let at = Math.max(this.#posted, over - lateSeconds) + 1; at <= over; at += 1) {
      this.#posted = at;
      const figures: Figures = { ...collector.take(at), stores: stores() };
      await board.post(topicOf(at), JSON.stringify(figures));
    }
    if (this.#listeners.size > 0) await this.#tell();
  }

  async #tell(): Promise<void> {
    const upTo = this.#lastOver(settleMs);
    for (let at = upTo - lateSeconds + 1; at <= upTo; at += 1) {
      const second = await this.#read(at);
      const text = JSON.stringify(second);
      if (second.nodes === 0 || this.#told.get(at) === text) continue;
      this.#told.set(at, text);
      for (const listener of this.#listeners) listener.tell(second);
    }
    for (const at of this.#told.keys()) if (at <= upTo - lateSeconds) this.#told.delete(at);
  }

  async #read(at: number): Promise<LiveSecond> {
    const texts = await this.#parts.board.read(topicOf(at));
    return mergeFigures(
      at,
      texts.map((text) => JSON.parse(text) as Figures),
    );
  }

  /** The last second that ended at least so long ago. */
  #lastOver(agoMs = 0): number {
    return Math.floor((this.#nowMs() - agoMs) / 1000) - 1;
  }
}

function topicOf(second: number): string {
  return `live:${second}`;
}
