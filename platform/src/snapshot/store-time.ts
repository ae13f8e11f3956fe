/**
 * What time it is for the store. Its clock decides what has started or ended, and ours may differ:
 * each of its answers tells by how much.
 */
export class StoreTime {
  #aheadMs = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  heard(nowUs: number): void {
    this.#aheadMs = nowUs / 1000 - Date.now();
  }
}
