import { hash } from 'node:crypto';
import { joined } from '../../core/limit.ts';
import { RecentMap } from '../../core/recent-map.ts';

/** 132 bits: nobody finds two texts of one hash. */
const hashLength = 22;
export const rememberedLengthMax = 200;
/** How many names are remembered: of what was asked for lately, up to twice as many. */
export const rememberedMax = 20_000;

/**
 * Names that tell nothing: of one length whatever the text, and meaningless without the secret.
 * Hashing costs more than looking up, and most traffic comes from few.
 */
export class KeyedHash {
  readonly #secret: string;
  readonly #known = new RecentMap<string>(rememberedMax);

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
