import { joined } from '../core/limit.ts';
import type {
  FinishedAnswer,
  KeptAnswer,
  Lease,
  ShieldBegun,
  ShieldRef,
  ShieldStore,
} from '../core/shield-store.ts';

export type MemoryShieldOptions = {
  /** How many keys; default 10,000. */
  readonly recordsMax?: number;
  /** How much all answers take together; default 64 MiB. */
  readonly bytesMax?: number;
  /** Milliseconds; default `Date.now`. */
  readonly nowMs?: () => number;
};

type Held = {
  readonly fingerprint: string;
  token: string | null;
  answer: KeptAnswer | null;
  bytes: number;
  untilMs: number;
};

/** In process: bounded, and gone with it. What does not fit is not kept. */
export class MemoryShield implements ShieldStore {
  readonly #recordsMax: number;
  readonly #bytesMax: number;
  readonly #nowMs: () => number;
  readonly #records = new Map<string, Held>();
  #bytes = 0;

  constructor({
    recordsMax = 10_000,
    bytesMax = 64 * 2 ** 20,
    nowMs = Date.now,
  }: MemoryShieldOptions = {}) {
    this.#recordsMax = recordsMax;
    this.#bytesMax = bytesMax;
    this.#nowMs = nowMs;
  }

  async begin(ref: ShieldRef, { token, leaseMs }: Lease): Promise<ShieldBegun> {
    const { fingerprint } = ref;
    const nowMs = this.#nowMs();
    const found = this.#find(ref);
    if (!found) {
      this.#makeRoom();
      const untilMs = nowMs + leaseMs;
      // Without room it runs unshielded: to refuse would let a flood shut everybody out.
      if (this.#records.size < this.#recordsMax) {
        this.#records.set(nameOf(ref), { fingerprint, token, answer: null, bytes: 0, untilMs });
      }
      return { kind: 'first' };
    }
    if (found.fingerprint !== fingerprint) return { kind: 'conflict' };
    if (found.answer) return { kind: 'kept', answer: found.answer };
    return { kind: 'running', leftMs: found.untilMs - nowMs };
  }

  async renew(ref: ShieldRef, { token, leaseMs }: Lease): Promise<boolean> {
    const found = this.#mine(ref, token);
    if (found) found.untilMs = this.#nowMs() + leaseMs;
    return found !== undefined;
  }

  async finish(ref: ShieldRef, { token, answer, keepMs }: FinishedAnswer): Promise<boolean> {
    const found = this.#mine(ref, token);
    if (!found) return false;
    const bytes = answer.body.length + JSON.stringify(answer.headers).length;
    if (this.#bytes + bytes > this.#bytesMax) this.#sweep();
    if (this.#bytes + bytes > this.#bytesMax) {
      this.#drop(nameOf(ref), found);
      return false;
    }
    this.#bytes += bytes;
    Object.assign(found, { token: null, answer, bytes, untilMs: this.#nowMs() + keepMs });
    return true;
  }

  async abandon(ref: ShieldRef, token: string): Promise<void> {
    const found = this.#mine(ref, token);
    if (found) this.#drop(nameOf(ref), found);
  }

  #find(ref: ShieldRef): Held | undefined {
    const name = nameOf(ref);
    const found = this.#records.get(name);
    if (!found || found.untilMs > this.#nowMs()) return found;
    this.#drop(name, found);
    return undefined;
  }

  #mine(ref: ShieldRef, token: string): Held | undefined {
    const found = this.#find(ref);
    const isMine = found?.token === token && found.fingerprint === ref.fingerprint;
    return isMine ? found : undefined;
  }

  #makeRoom(): void {
    if (this.#records.size >= this.#recordsMax) this.#sweep();
  }

  #sweep(): void {
    const nowMs = this.#nowMs();
    for (const [name, held] of this.#records) {
      if (held.untilMs <= nowMs) this.#drop(name, held);
    }
  }

  #drop(name: string, { bytes }: Held): void {
    this.#bytes -= bytes;
    this.#records.delete(name);
  }
}

function nameOf({ tenant, caller, key }: ShieldRef): string {
  return joined([tenant, caller, key]);
}
