import type { DecideCall, Engine, Question, TenantRef } from '../../core/engine.ts';

/** After these waits it is tried; the last ones in case the call itself was carried out late. */
const waitsMs = [0, 1000, 3000, 10_000, 30_000];
const orphansMax = 10_000;

/**
 * Slots and holds that a call without an answer may have taken belong to nobody: they would be
 * missing until they run out. They are given back as soon as the store lets us.
 *
 * Not under an idempotency key: there a retry is given the very same slots and holds.
 */
export class Orphans {
  readonly #engine: Pick<Engine, 'abandon'>;
  #count = 0;

  constructor(engine: Pick<Engine, 'abandon'>) {
    this.#engine = engine;
  }

  /** How many may still have something. */
  get count(): number {
    return this.#count;
  }

  /** Of a call that nobody waits for any longer; `work` may still tell what became of it. */
  adopt({ tenant, questions }: DecideCall, work: Promise<unknown>): void {
    const orphans = questions.filter(mayHold);
    if (orphans.length === 0 || this.#count + orphans.length > orphansMax) return;
    this.#count += orphans.length;
    void this.#giveBack(tenant, orphans, work).finally(() => {
      this.#count -= orphans.length;
    });
  }

  async #giveBack(
    tenant: TenantRef,
    orphans: readonly Question[],
    work: Promise<unknown>,
  ): Promise<void> {
    let isAnswered = false;
    const answered = work.then(
      () => (isAnswered = true),
      () => false,
    );
    await within(answered);
    let wasHeard = false;
    for (const waitMs of waitsMs) {
      await elapsed(waitMs);
      // One that was answered is over. Any other may yet be carried out, behind our back: once more.
      const isLast = isAnswered || wasHeard;
      wasHeard = (await within(this.#abandon(tenant, orphans))) === true;
      if (wasHeard && isLast) break;
    }
    // A store that stood still for long answers at last.
    if (!isAnswered) void answered.then(() => isAnswered && this.#abandon(tenant, orphans));
  }

  async #abandon(tenant: TenantRef, orphans: readonly Question[]): Promise<boolean> {
    try {
      for (const question of orphans) await this.#engine.abandon(tenant, question);
      return true;
    } catch {
      return false;
    }
  }
}

function mayHold({ limits, reserve, idempotency, peek }: Question): boolean {
  if (peek || idempotency) return false;
  return reserve !== undefined || limits.some(({ limit }) => isSlots(limit.numbers.algorithm));
}

function isSlots(algorithm: string): boolean {
  return algorithm === 'concurrency';
}

const patienceMs = 1000;

/** Undefined when it takes too long: a dead connection says nothing at all. */
function within<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, elapsed(patienceMs).then(() => undefined)]);
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
