import { InvalidInput, type Engine } from 'sluice/core';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import { UnknownPlan } from './errors.ts';
import {
  inspectNamed,
  limitsOf,
  type LimitUsage,
  type Named,
  type Whose,
} from './inspect-limits.ts';

/** Which counters somebody means. */
export type CounterQuery = Whose & {
  readonly planId?: string | undefined;
  /** Only the limit of this name. */
  readonly limit?: string | undefined;
};

export type CountersParts = {
  readonly snapshots: Pick<Snapshots, 'reload'>;
  readonly engine: Pick<Engine, 'inspect' | 'reset' | 'unblock' | 'counterName'>;
  /** What is kept of quotas must not come back. */
  readonly forget: (snapshot: Snapshot, counters: readonly string[]) => Promise<void>;
};

/** What operators do with single counters: look, start afresh, end a penalty. */
export class Counters {
  readonly #parts: CountersParts;

  constructor(parts: CountersParts) {
    this.#parts = parts;
  }

  /** Null when there is no such tenant. */
  async inspect(tenantId: string, query: CounterQuery): Promise<LimitUsage[] | null> {
    const { snapshots, engine } = this.#parts;
    const snapshot = await snapshots.reload(tenantId);
    return snapshot && inspectNamed(engine, snapshot.ref, namedBy(snapshot, query));
  }

  /** The names of the limits whose counters now stand at nothing. */
  async reset(tenantId: string, query: CounterQuery): Promise<string[] | null> {
    const { snapshots, engine, forget } = this.#parts;
    const snapshot = await snapshots.reload(tenantId);
    if (!snapshot) return null;
    const bounds = boundBy(snapshot, query);
    // First what would bring it back.
    const quotas = bounds.filter(({ limit }) => limit.numbers.algorithm === 'quota');
    await forget(
      snapshot,
      quotas.map((bound) => engine.counterName(bound)),
    );
    await engine.reset(snapshot.ref, bounds);
    return bounds.map(({ limit }) => limit.name);
  }

  /** How many penalties were in force, and are over. */
  async unblock(tenantId: string, query: CounterQuery): Promise<number | null> {
    const { snapshots, engine } = this.#parts;
    const snapshot = await snapshots.reload(tenantId);
    if (!snapshot) return null;
    return engine.unblock(snapshot.ref, boundBy(snapshot, query));
  }
}

function namedBy(snapshot: Snapshot, query: CounterQuery): Named[] {
  const rules = query.planId === undefined ? snapshot.rules : snapshot.rulesOf(query.planId);
  if (!rules) throw new UnknownPlan();
  const all = limitsOf(rules, query);
  if (query.limit === undefined) return all;
  const named = all.filter(({ limit: { name } }) => name === query.limit);
  if (named.length > 0) return named;
  const known = all.map(({ limit: { name } }) => name).join(', ');
  throw new InvalidInput('limit', `no such limit applies here; there are ${known || 'none'}`);
}

/** To change a counter it must be said which. */
function boundBy(snapshot: Snapshot, query: CounterQuery) {
  const named = namedBy(snapshot, query);
  const bounds = named.flatMap(({ bound }) => bound ?? []);
  if (bounds.length > 0) return bounds;
  const parts = new Set(named.flatMap(({ limit }) => limit.identifiedBy));
  if (parts.size === 0) throw new InvalidInput('tenant_id', 'no limit applies to this tenant');
  throw new InvalidInput('limit', `counts by ${[...parts].join(', ')}: say whose counter you mean`);
}
