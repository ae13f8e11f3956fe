import { randomUUID } from 'node:crypto';
import type { Fleet } from 'sluice';
import type { Board } from '../store/board.ts';

const minuteMs = 60_000;
/** One that has said nothing new for so long is gone. */
const aliveMs = 10_000;
/** As many as there were at once lately: who is cut off with us is not gone. */
const rememberedMs = 600_000;

type Peer = { text: string; heardMs: number };

/**
 * Which nodes there are: each says so every second, in a different text each time. Nobody's clock is
 * compared with anybody else's.
 */
export class FleetWatch {
  readonly #board: Board;
  readonly #nowMs: () => number;
  readonly #id = randomUUID();
  readonly #peers = new Map<string, Peer>();
  #beats = 0;
  #largest: { readonly nodes: number; readonly rank: number; readonly seenMs: number }[] = [];

  constructor(board: Board, nowMs: () => number = () => performance.now()) {
    this.#board = board;
    this.#nowMs = nowMs;
  }

  /** The largest fleet of the last ten minutes, and this node's place in it. */
  get fleet(): Fleet {
    const since = this.#nowMs() - rememberedMs;
    let best: Fleet = { nodes: 1, rank: 0 };
    for (const one of this.#largest) {
      if (one.seenMs >= since && one.nodes >= best.nodes) best = one;
    }
    return { nodes: best.nodes, rank: best.rank };
  }

  async beat(): Promise<void> {
    this.#beats += 1;
    // A topic is forgotten as a whole: one that lasted would never lose the names of who is gone.
    const minute = Math.floor(Date.now() / minuteMs);
    await this.#board.post(topicOf(minute), `${this.#id} ${this.#beats}`);
    // What a node said last comes last.
    const said = await Promise.all(
      [minute - 1, minute].map((one) => this.#board.read(topicOf(one))),
    );
    const last = new Map(said.flat().map((text) => [text.split(' ', 1)[0] ?? '', text]));
    this.#hear(last);
  }

  #hear(said: ReadonlyMap<string, string>): void {
    const nowMs = this.#nowMs();
    for (const [id, text] of said) {
      const peer = this.#peers.get(id);
      if (!peer) this.#peers.set(id, { text, heardMs: nowMs });
      else if (peer.text !== text) Object.assign(peer, { text, heardMs: nowMs });
    }
    // Who is gone is remembered as such for as long as its last word stands.
    for (const id of this.#peers.keys()) if (!said.has(id)) this.#peers.delete(id);
    const alive = [...this.#peers].filter(([, { heardMs }]) => nowMs - heardMs <= aliveMs);
    const ids = alive.map(([id]) => id).toSorted();
    const rank = Math.max(0, ids.indexOf(this.#id));
    this.#remember({ nodes: Math.max(1, ids.length), rank, seenMs: nowMs });
  }

  /** Only what could still be the largest: what is smaller than a later one never will be. */
  #remember(seen: {
    readonly nodes: number;
    readonly rank: number;
    readonly seenMs: number;
  }): void {
    const since = seen.seenMs - rememberedMs;
    this.#largest = this.#largest.filter((one) => one.seenMs >= since && one.nodes > seen.nodes);
    this.#largest.push(seen);
  }
}

function topicOf(minute: number): string {
  return `nodes-${minute}`;
}
