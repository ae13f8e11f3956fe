import { flatNumbersMax, type Opaque } from '../../core/algorithms/index.ts';
import type { PenaltyState } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, TenantRef } from '../../core/engine.ts';
import { joined, type Limit } from '../../core/limit.ts';
import {
  addLeaf,
  findLeaf,
  findLeaves,
  removeLeaf,
  type Leaves,
  type Path,
  type Trees,
} from './trees.ts';
import type { Holds } from './holds.ts';

/**
 * The counter of one limit for one identity: its place in the lists of `Cells`. Subjects come in no
 * order, so what a check costs is how many lines of memory it touches: the numbers of a counter
 * share one, where an object for it, one for its state and one for each number would be five.
 */
export type Cell = number;

/** What few counters have besides their numbers. */
export type CellExtras = {
  /** Of an algorithm whose state is more than a few numbers. */
  state: Opaque | undefined;
  penalty: PenaltyState | undefined;
  holds: Holds | null;
};

type CellOwner = Path & {
  /** Who made the cell, and has one less to make. */
  readonly tenant: TenantCells;
  /** All tenants find it. */
  readonly global: boolean;
};

export type TenantCells = {
  readonly tenant: TenantRef;
  readonly trees: Trees;
  count: number;
};

export type CellBounds = { readonly cellsMax: number; readonly cellsPerTenantMax: number };

/** A cell's numbers: when its time is over, then its state. */
const stride = 1 + flatNumbersMax;
const sweepWhenFull = 256;

/**
 * All counters, bounded in total and per tenant. A live counter is never evicted, for that would
 * hand its subject a fresh allowance: at the bound newcomers share one counter per limit instead.
 */
export class Cells {
  /** How many there are, and how many there were. */
  count = 0;
  removals = 0;
  readonly #bounds: CellBounds;
  readonly #tenants = new Map<string, TenantCells>();
  readonly #laterGenerations = new Map<string, TenantCells>();
  readonly #globalTrees: Trees = [];
  readonly #owners: (CellOwner | undefined)[] = [];
  readonly #extras: (CellExtras | undefined)[] = [];
  /** Where nothing has any, no list need be looked at. */
  #extrasCount = 0;
  readonly #free: Cell[] = [];
  #numbers = new Float64Array(64 * stride);
  #swept = 0;

  constructor(bounds: CellBounds) {
    this.#bounds = bounds;
  }

  /** How many tenants have cells. */
  get tenants(): number {
    return this.#tenants.size + this.#laterGenerations.size;
  }

  /** A tenant is remembered while it has made cells, and costs nothing before and after. */
  of(tenant: TenantRef): TenantCells {
    const { id, generation = 0 } = tenant;
    const found =
      generation === 0
        ? this.#tenants.get(id)
        : this.#laterGenerations.get(laterId(id, generation));
    return found ?? { tenant, trees: [], count: 0 };
  }

  find(tenant: TenantCells, { limit, parts }: BoundLimit): Cell | undefined {
    return findLeaf(this.#treesOf(tenant, limit.global), limit.counterId, parts);
  }

  /** Where the limit's counters are found by the last part, while it has any. */
  leavesOf(tenant: TenantCells, limit: Limit, before: Path['parts']): Leaves | undefined {
    return findLeaves(this.#treesOf(tenant, limit.global), limit.counterId, before);
  }

  /** Whether a new counter for this limit fits; one of a whole tenant always does. */
  hasRoom(tenant: TenantCells, bound: BoundLimit, nowUs: number): boolean {
    if (bound.parts.length === 0) return true;
    const full = () =>
      tenant.count >= this.#bounds.cellsPerTenantMax || this.count >= this.#bounds.cellsMax;
    if (full()) this.sweep(sweepWhenFull, nowUs);
    return !full();
  }

  make(tenant: TenantCells, { limit, parts }: BoundLimit): Cell {
    return this.put({ tenant, global: limit.global, counterId: limit.counterId, parts });
  }

  put(owner: CellOwner): Cell {
    const { tenant } = owner;
    const cell = this.#free.pop() ?? this.#owners.length;
    this.#owners[cell] = owner;
    this.#extras[cell] = undefined;
    if (cell * stride >= this.#numbers.length) this.#grow();
    this.#numbers.fill(Number.NaN, cell * stride, (cell + 1) * stride);
    this.#numbers[cell * stride] = 0;
    if (tenant.count === 0) this.#remember(tenant);
    tenant.count += 1;
    this.count += 1;
    addLeaf(this.#treesOf(tenant, owner.global), owner, cell);
    return cell;
  }

  remove(cell: Cell): void {
    const owner = this.#owners[cell];
    if (!owner) return;
    this.#owners[cell] = undefined;
    if (this.#extras[cell]) this.#extrasCount -= 1;
    this.#extras[cell] = undefined;
    this.#free.push(cell);
    this.count -= 1;
    this.removals += 1;
    owner.tenant.count -= 1;
    if (owner.tenant.count === 0) this.#forget(owner.tenant);
    removeLeaf(this.#treesOf(owner.tenant, owner.global), owner);
  }

  stateOf(cell: Cell, { algorithm: { flat } }: Limit): Opaque | undefined {
    if (!flat) return this.#extras[cell]?.state;
    const at = cell * stride + 1;
    return Number.isNaN(this.#numbers[at]) ? undefined : flat.read(this.#numbers, at);
  }

  setState(cell: Cell, { algorithm: { flat } }: Limit, state: Opaque): void {
    if (flat) flat.write(this.#numbers, cell * stride + 1, state);
    else this.needExtras(cell).state = state;
  }

  /** What the cell was made with, and no other ever is: tells whether a place is still the same cell. */
  ownerOf(cell: Cell): object | undefined {
    return this.#owners[cell];
  }

  /** Nothing but numbers: no penalty, no holds. */
  isBare(cell: Cell): boolean {
    return this.#extrasCount === 0 || this.#extras[cell] === undefined;
  }

  /** One number of a state that is nothing but numbers, by its place among them. */
  numberOf(cell: Cell, at: number): number {
    return this.#numbers[cell * stride + 1 + at] as number;
  }

  setNumber(cell: Cell, at: number, value: number): void {
    this.#numbers[cell * stride + 1 + at] = value;
  }

  expiresAtUs(cell: Cell): number {
    return this.#numbers[cell * stride] as number;
  }

  /** Keeps the cell until then, or longer. */
  keepUntil(cell: Cell, expiresAtUs: number): void {
    const at = cell * stride;
    if (expiresAtUs > (this.#numbers[at] as number)) this.#numbers[at] = expiresAtUs;
  }

  extrasOf(cell: Cell): CellExtras | undefined {
    return this.#extras[cell];
  }

  needExtras(cell: Cell): CellExtras {
    const known = this.#extras[cell];
    if (known) return known;
    this.#extrasCount += 1;
    return (this.#extras[cell] = { state: undefined, penalty: undefined, holds: null });
  }

  /** Looks at some places, going round, and drops the cells whose time is over. */
  sweep(placesMax: number, nowUs: number): void {
    const places = Math.min(placesMax, this.#owners.length);
    for (let looked = 0; looked < places; looked += 1) {
      if (this.#swept >= this.#owners.length) this.#swept = 0;
      if (this.expiresAtUs(this.#swept) <= nowUs) this.remove(this.#swept);
      this.#swept += 1;
    }
  }

  *all(): Iterable<[Cell, CellOwner]> {
    for (const [cell, owner] of this.#owners.entries()) if (owner) yield [cell, owner];
  }

  /** A state as it is kept: for a dump, which knows no limits. */
  numbersOf(cell: Cell): Float64Array {
    return this.#numbers.subarray(cell * stride + 1, (cell + 1) * stride);
  }

  #treesOf(tenant: TenantCells, global: boolean): Trees {
    return global ? this.#globalTrees : tenant.trees;
  }

  #grow(): void {
    const grown = new Float64Array(this.#numbers.length * 2);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }

  #remember(cells: TenantCells): void {
    const { id, generation = 0 } = cells.tenant;
    if (generation === 0) this.#tenants.set(id, cells);
    else this.#laterGenerations.set(laterId(id, generation), cells);
  }

  #forget({ tenant: { id, generation = 0 } }: TenantCells): void {
    if (generation === 0) this.#tenants.delete(id);
    else this.#laterGenerations.delete(laterId(id, generation));
  }
}

function laterId(id: string, generation: number): string {
  return joined([id, String(generation)]);
}
