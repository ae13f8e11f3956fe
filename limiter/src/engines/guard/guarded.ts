import type { DecideCall, DecideResult, Engine } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import type { Deadline } from './deadline.ts';
import { Orphans } from './orphans.ts';

/** Decides in time or fails; what a call without an answer may have taken is given back. */
export class Guarded implements Pick<Engine, 'decide'> {
  readonly #asked: Pick<Engine, 'decide'>;
  readonly #deadline: Deadline;
  readonly #orphans: Orphans;

  /** `asked` is what stands in front of the engine, if anything does. */
  constructor(engine: Engine, deadline: Deadline, asked: Pick<Engine, 'decide'> = engine) {
    this.#asked = asked;
    this.#deadline = deadline;
    this.#orphans = new Orphans(engine);
  }

  decide(call: DecideCall): Promise<DecideResult> {
    const work = this.#asked.decide(call);
    return this.#deadline.run(work, (error) => {
      // What the caller did wrong was never asked.
      if (error instanceof StoreFailure) this.#orphans.adopt(call, work);
    });
  }
}
