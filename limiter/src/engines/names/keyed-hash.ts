import { hash } from 'node:crypto';
import { joined } from '../../core/limit.ts';

/** 132 bits: nobody finds two texts of one hash. */
const hashLength = 22;
const rememberedLengthMax = 200;

/**
 * Names that tell nothing: of one length whatever the text, and meaningless without the secret.
 * Hashing costs more than looking up, and most traffic comes from few.
 */
export class KeyedHash {
  readonly #secret: string;
  readonly #known = new RecentMap();

  constructor(secret: string) {
    this.#secret = joined([secret]);
  }

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = this.fresh(text);
    if (text.length <= rememberedLengthMax) this.#known.set(text, made);
    return made;
  }

  /** For a text that nobody will ask about again. */
  fresh(text: string): string {
    return hash('sha256', this.#secret + text, 'base64url').slice(0, hashLength);
  }
}

const recentMax = 20_000;

/** A bounded map that forgets the older half of what was not asked for lately. */
export class RecentMap {
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  get(text: string): string | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: string): void {
    if (this.#young.size >= recentMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}
