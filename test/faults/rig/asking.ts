import type { BoundLimit, Engine, TenantRef } from '../../../limiter/src/core/engine.ts';
import { view } from '../../../limiter/src/core/view.ts';
import { question } from '../../support/limits.ts';
import type { Admission } from './envelope.ts';

/** What became of one call on an engine. */
export type Told = { readonly allowed: boolean; readonly nowUs: number };

export async function askEngine(
  engine: Pick<Engine, 'decide'>,
  tenant: TenantRef,
  limits: readonly BoundLimit[],
): Promise<Told> {
  const result = await engine.decide({ tenant, questions: [question(limits)] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error(`not decided: ${result.kind}`);
  return answer;
}

/** What a counter itself says. */
export async function usedOn(
  engine: Engine,
  tenant: TenantRef,
  counter: BoundLimit,
): Promise<number> {
  const { nowUs, readings } = await engine.inspect(tenant, [counter]);
  const [reading] = readings;
  if (!reading) throw new Error('the counter was not read');
  return view(counter, reading, nowUs).used;
}

/** Callers who ask one after the other, until the time is over or they are stopped. */
export class Callers {
  readonly admissions: Admission[] = [];
  readonly failures = new Map<string, number>();
  asked = 0;
  latestMs = 0;
  readonly #over = new AbortController();
  #work: Promise<unknown> = Promise.resolve();

  /** `ask` is called with how many asked before. */
  start(count: number, ask: (at: number) => Promise<boolean>): void {
    this.#work = Promise.all(Array.from({ length: count }, () => this.#lane(ask)));
  }

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#work;
  }

  async #lane(ask: (at: number) => Promise<boolean>): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.asked += 1;
      const startedMs = performance.now();
      try {
        const allowed = await ask(this.asked - 1);
        const atMs = performance.now();
        this.latestMs = Math.max(this.latestMs, atMs - startedMs);
        if (allowed) this.admissions.push({ atMs, cost: 1 });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        this.failures.set(problem, (this.failures.get(problem) ?? 0) + 1);
      }
    }
  }
}
