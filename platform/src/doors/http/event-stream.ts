import { Readable } from 'node:stream';
import type { Listener, LiveSecond } from '../../evidence/index.ts';

export const waitingBytesMax = 262_144;
const againMs = 2000;
/** Then who listens must come again, and show that it still may. */
const lifeMsDefault = 60_000;

/** One listener's events. Who does not read them is let go of, and may come again. */
export class EventStream extends Readable implements Listener {
  #held: LiveSecond[] | null = null;
  #lastId = 0;
  #isEnded = false;

  constructor(lifeMs = lifeMsDefault) {
    super({ highWaterMark: waitingBytesMax });
    this.push(`retry: ${againMs}\n\n`);
    const timer = setTimeout(() => this.end(), lifeMs).unref();
    this.once('close', () => clearTimeout(timer));
  }

  /** What was missed comes before what happens meanwhile. */
  async catchUp(read: () => Promise<readonly LiveSecond[]>): Promise<void> {
    this.#held = [];
    const missed = await read().catch(() => []);
    const held = this.#held;
    this.#held = null;
    for (const second of [...missed, ...held]) this.tell(second);
  }

  tell(second: LiveSecond): void {
    if (this.#isEnded) return;
    if (this.#held) {
      this.#held.push(second);
      return;
    }
    // Of one that is told again, the id is not: what came after it was heard.
    this.#lastId = Math.max(this.#lastId, second.at);
    const text = `id: ${this.#lastId}\nevent: second\ndata: ${JSON.stringify(second)}\n\n`;
    if (!this.push(text)) this.destroy();
  }

  /** Once; after that it hears nothing. */
  end(): void {
    if (!this.#isEnded) this.push(null);
    this.#isEnded = true;
  }

  override _read(): void {}
}
