import { costMax, resourceLengthMax, type Check } from '../../core/check.ts';
import type { Clock } from '../../core/clock.ts';
import { Decision } from '../../core/decision.ts';
import type { Limit } from '../../core/limit.ts';
import { isWholeBucket, LoneBucket, type WholeBucket } from '../../core/lone-bucket.ts';
import { isFixedWindow, LoneWindow, type FixedWindow } from '../../core/lone-window.ts';
import type { Lone } from '../../core/lone.ts';
import { parseText } from '../../core/parse.ts';
import type { Regular } from '../../core/regular.ts';
import type { Cell, Cells } from './cells.ts';
import type { Leaves } from './trees.ts';

/**
 * The short way of the most common check: one limit, and a subject who has a counter with nothing
 * beside it. All else goes the long way, which makes counters, keeps bounds and says what is wrong
 * with a check: nothing of that is here. See decision 0020; a test runs random schedules both ways.
 */
export abstract class LonePath<L extends Limit = Limit> {
  protected readonly limit: L;
  protected readonly cells: Cells;
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

  constructor(limit: L, cells: Cells, clock: Clock) {
    this.limit = limit;
    this.cells = cells;
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
    if (cell === undefined || !this.cells.isBare(cell)) return undefined;
    // Whoever has a counter was looked at when it was made; what does not lead to it was not.
    if (!this.#byResource) parseText('resource', resource, resourceLengthMax);
    const lone = this.count(cell, cost, this.#clock(), resource, subject, tenant);
    return lone && new Decision(lone);
  }

  /** The same for one call of a regular, whose counter is mostly where it was the last time. */
  decideFor(regular: Regular, resource: string): Lone | undefined {
    const { subject, tenant = 'default' } = regular;
    const isThere =
      regular.path === this &&
      regular.resource === resource &&
      regular.removals === this.cells.removals;
    if (!isThere && !this.#seat(regular, resource, tenant)) return undefined;
    const { cell } = regular;
    if (!this.cells.isBare(cell)) return undefined;
    return this.count(cell, 1, this.#clock(), resource, subject, tenant);
  }

  /** Where it is now; false: it has no counter. */
  #seat(regular: Regular, resource: string, tenant: string): boolean {
    regular.removals = this.cells.removals;
    const isThere =
      regular.path === this &&
      regular.resource === resource &&
      this.cells.ownerOf(regular.cell) === regular.owner;
    if (isThere) return true;
    const cell = this.#find(tenant, resource, regular.subject);
    const owner = cell === undefined ? undefined : this.cells.ownerOf(cell);
    regular.path = undefined;
    if (cell === undefined || owner === undefined || this.#costMax < 1) return false;
    if (!this.#byResource) parseText('resource', resource, resourceLengthMax);
    regular.path = this;
    regular.resource = resource;
    regular.cell = cell;
    regular.owner = owner;
    return true;
  }

  /** Charges the counter if there is room. */
  protected abstract count(
    cell: Cell,
    cost: number,
    nowUs: number,
    resource: string,
    subject: string,
    tenant: string,
  ): Lone | undefined;

  #find(tenant: string, resource: string, subject: string): Cell | undefined {
    const there =
      this.#leaves !== undefined &&
      this.#leaves.size > 0 &&
      (this.#resource === resource || !this.#byResource) &&
      this.#tenant === tenant;
    if (!there) {
      const before = this.#byResource ? [resource] : [];
      this.#leaves = this.cells.leavesOf(this.cells.of({ id: tenant }), this.limit, before);
      this.#resource = resource;
      this.#tenant = tenant;
    }
    return this.#leaves?.get(subject);
  }
}

class BucketPath extends LonePath<WholeBucket> {
  protected count(
    cell: Cell,
    cost: number,
    nowUs: number,
    resource: string,
    subject: string,
    tenant: string,
  ): LoneBucket | undefined {
    const { limit, cells } = this;
    // A fraction is left over from when the rate was another.
    if (cells.numberOf(cell, 1) !== 0) return undefined;
    const { perUs, fillUs } = limit.numbers;
    const emptyAtUs = Math.max(cells.numberOf(cell, 0), nowUs - fillUs);
    const chargedUs = emptyAtUs + cost * perUs;
    const fits = chargedUs <= nowUs;
    if (fits) {
      cells.setNumber(cell, 0, chargedUs);
      cells.keepUntil(cell, chargedUs + fillUs + 2);
    }
    const leftUs = fits ? chargedUs : emptyAtUs;
    return new LoneBucket(limit, cost, nowUs, leftUs, fits, resource, subject, tenant);
  }
}

class WindowPath extends LonePath<FixedWindow> {
  protected count(
    cell: Cell,
    cost: number,
    nowUs: number,
    resource: string,
    subject: string,
    tenant: string,
  ): LoneWindow | undefined {
    const { limit, cells } = this;
    const startUs = cells.numberOf(cell, 0);
    const endUs = cells.numberOf(cell, 1);
    // The next window begins on the long way, and one that was configured shorter ends there. What
    // was never written is no number, and is not before anything.
    const isUnderWay = nowUs < endUs && endUs - startUs <= limit.numbers.windowUs;
    if (!isUnderWay) return undefined;
    const before = cells.numberOf(cell, 2);
    const fits = before + cost <= limit.size;
    const used = fits ? before + cost : before;
    if (fits) cells.setNumber(cell, 2, used);
    return new LoneWindow(
      limit,
      cost,
      nowUs,
      startUs,
      endUs,
      used,
      fits,
      resource,
      subject,
      tenant,
    );
  }
}

/** Null where no check of this limit could go the short way. */
export function lonePathOf(limit: Limit, cells: Cells, clock: Clock): LonePath | null {
  const { penalty, unit, identifiedBy } = limit;
  if (penalty !== null || unit !== 'requests' || limit.global) return null;
  const by = identifiedBy.join(' ');
  if (by !== 'subject' && by !== 'resource subject') return null;
  if (isWholeBucket(limit)) return new BucketPath(limit, cells, clock);
  return isFixedWindow(limit) ? new WindowPath(limit, cells, clock) : null;
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
