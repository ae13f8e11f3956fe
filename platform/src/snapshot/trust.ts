/**
 * Whether what the store says of epochs can be believed. A server that was away may come back as it
 * was some time ago, and would confirm what has long been revoked. So after every absence checks
 * wait until the database was asked what changed.
 */
export class Trust {
  readonly #ask: () => Promise<void>;
  readonly #isThere: () => boolean;
  readonly #waitMs: number;
  #asking: Promise<void> | null = null;
  #away = false;

  constructor({
    ask,
    isThere,
    waitMs,
  }: {
    /** Whether the store takes commands right now. */
    readonly isThere: () => boolean;
    /** Resolves when this node knows all that the database knew when it was called. */
    readonly ask: () => Promise<void>;
    /** A database that does not answer is not waited for longer: checks go on from what is known. */
    readonly waitMs: number;
  }) {
    this.#ask = ask;
    this.#isThere = isThere;
    this.#waitMs = waitMs;
  }

  /**
   * What a check must wait for; null, as nearly always, when there is nothing. While the store is
   * away there is nothing to believe, and nothing to wait for.
   */
  get pending(): Promise<void> | null {
    if (this.#away && this.#isThere()) this.#begin();
    return this.#asking;
  }

  storeLeft(): void {
    this.#away = true;
  }

  #begin(): void {
    this.#away = false;
    const asking = this.#askInTime().finally(() => {
      if (this.#asking === asking) this.#asking = null;
    });
    this.#asking = asking;
  }

  async #askInTime(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#waitMs);
    });
    try {
      await Promise.race([this.#ask().catch(() => {}), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
