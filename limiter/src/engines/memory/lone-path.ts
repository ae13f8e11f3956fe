import { costMax, resourceLengthMax, type Check } from '../../core/check.ts';
import type { Clock } from '../../core/clock.ts';
import { Decision } from '../../core/decision.ts';
import type { Limit } from '../../core/limit.ts';
import { isWholeBucket, LoneBucket, type WholeBucket } from '../../core/lone-bucket.ts';
import { parseText } from '../../core/parse.ts';
import type { Cell, Cells } from './cells.ts';
import type { Leaves } from './trees.ts';

/**
 * The short way of the most common check: one bucket, and a subject who has a counter with nothing
 * beside it. All else goes the long way, which makes counters, keeps bounds and says what is wrong
 * with a check: nothing of that is here. See decision 0020; a test runs random schedules both ways.
 */
export class LonePath {
  readonly #limit: WholeBucket;
  readonly #cells: Cells;
  readonly #clock: Clock;
  readonly #byResource: boolean;
  readonly #costMax: number;
  /**
   * Where the last check found its counter: most that come after find theirs there. Once empty it
   * is no part of the tree any more.
   */
  #leaves: Leaves | undefined;
  #tenant = '';
  #resource = '';

  constructor(limit: WholeBucket, cells: Cells, clock: Clock) {
    this.#limit = limit;
    this.#cells = cells;
    this.#clock = clock;
    this.#byResource = limit.identifiedBy.includes('resource');
    this.#costMax = Math.min(limit.size, costMax);
  }

  /** Undefined where it is not the way to go; nothing has happened then. */
  decide(check: Check): Decision | undefined {
    if (!isPlain(check)) return undefined;
    const { resource, subject, tenant = 'default', cost = 1 } = check;
    if (!Number.isInteger(cost) || cost <= 0 || cost > this.#costMax) return undefined;
    const cell = this.#find(tenant, resource, subject);
    if (cell === undefined || !this.#cells.isWhole(cell)) return undefined;
    // Whoever has a counter was looked at when it was made; what does not lead to it was not.
    if (!this.#byResource) parseText('resource', resource, resourceLengthMax);
    const { perUs, fillUs } = this.#limit.numbers;
    const nowUs = this.#clock();
    const emptyAtUs = Math.max(this.#cells.firstOf(cell), nowUs - fillUs);
    const chargedUs = emptyAtUs + cost * perUs;
    const fits = chargedUs <= nowUs;
    if (fits) {
      this.#cells.setFirst(cell, chargedUs);
      this.#cells.keepUntil(cell, chargedUs + fillUs + 2);
    }
    const leftUs = fits ? chargedUs : emptyAtUs;
    return new Decision(
      new LoneBucket(this.#limit, cost, nowUs, leftUs, fits, resource, subject, tenant),
    );
  }

  #find(tenant: string, resource: string, subject: string): Cell | undefined {
    const there =
      this.#leaves !== undefined &&
      this.#leaves.size > 0 &&
      (this.#resource === resource || !this.#byResource) &&
      this.#tenant === tenant;
    if (!there) {
      const before = this.#byResource ? [resource] : [];
      this.#leaves = this.#cells.leavesOf(this.#cells.of({ id: tenant }), this.#limit, before);
      this.#resource = resource;
      this.#tenant = tenant;
    }
    return this.#leaves?.get(subject);
  }
}

/** Null where no check of this limit could go the short way. */
export function lonePathOf(limit: Limit, cells: Cells, clock: Clock): LonePath | null {
  const { penalty, unit, identifiedBy } = limit;
  if (!isWholeBucket(limit) || penalty !== null || unit !== 'requests' || limit.global) return null;
  const by = identifiedBy.join(' ');
  if (by !== 'subject' && by !== 'resource subject') return null;
  return new LonePath(limit, cells, clock);
}

/** Says who asks for what, and nothing else. */
function isPlain(check: Check): boolean {
  if (typeof check !== 'object' || check === null) return false;
  for (const name in check) {
    const known = name === 'resource' || name === 'subject' || name === 'tenant' || name === 'cost';
    if (!known) return false;
  }
  // What is inherited may not have been named.
  const { costs, attributes, idempotencyKey, reserve } = check;
  return (
    costs === undefined &&
    attributes === undefined &&
    idempotencyKey === undefined &&
    reserve === undefined
  );
}
