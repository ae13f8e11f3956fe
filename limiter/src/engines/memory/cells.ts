import type { Opaque } from '../../core/algorithms/index.ts';
import type { PenaltyState } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, TenantRef } from '../../core/engine.ts';
import { joined } from '../../core/limit.ts';
import type { Holds } from './holds.ts';

/** The counter of one limit for one identity. */
export type Cell = {
  readonly tenant: TenantCells;
  readonly counterId: string;
  readonly parts: readonly (string | null)[];
  /** Where the cell stands in the list the sweeper walks. */
  index: number;
  state: Opaque | undefined;
  penalty: PenaltyState | undefined;
  holds: Holds | null;
  expiresAtUs: number;
};

type Branch = Map<string | null, Branch | Cell>;

export type TenantCells = {
  readonly tenant: TenantRef;
  /** By counter id, then one level for each part: no identity is ever joined into a text. */
  readonly roots: Branch;
  count: number;
};

export type CellBounds = { readonly cellsMax: number; readonly cellsPerTenantMax: number };

/**
 * All counters, bounded in total and per tenant. A live counter is never evicted, for that would
 * hand its subject a fresh allowance: at the bound newcomers share one counter per limit instead.
 */
export class Cells {
  readonly all: Cell[] = [];
  readonly #bounds: CellBounds;
  readonly #tenants = new Map<string, TenantCells>();
  readonly #laterGenerations = new Map<string, TenantCells>();
  #swept = 0;

  constructor(bounds: CellBounds) {
    this.#bounds = bounds;
  }

  /** How many tenants have cells. */
  get tenants(): number {
    return this.#tenants.size + this.#laterGenerations.size;
  }

  /** A tenant is remembered while it has cells, and costs nothing before and after. */
  of(tenant: TenantRef): TenantCells {
    const { id, generation = 0 } = tenant;
    const found =
      generation === 0
        ? this.#tenants.get(id)
        : this.#laterGenerations.get(laterId(id, generation));
    return found ?? { tenant, roots: new Map(), count: 0 };
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

  find(tenant: TenantCells, bound: BoundLimit): Cell | undefined {
    return find(tenant.roots, bound.limit.counterId, bound.parts);
  }

  /** Whether a new counter for this limit fits; one of a whole tenant always does. */
  hasRoom(tenant: TenantCells, bound: BoundLimit, nowUs: number): boolean {
    if (bound.parts.length === 0) return true;
    const full = () =>
      tenant.count >= this.#bounds.cellsPerTenantMax || this.all.length >= this.#bounds.cellsMax;
    if (full()) this.sweep(sweepWhenFull, nowUs);
    return !full();
  }

  make(tenant: TenantCells, { limit, parts }: BoundLimit): Cell {
    return this.put(tenant, limit.counterId, parts);
  }

  put(tenant: TenantCells, counterId: string, parts: readonly (string | null)[]): Cell {
    const cell: Cell = {
      tenant,
      counterId,
      parts,
      index: this.all.length,
      state: undefined,
      penalty: undefined,
      holds: null,
      expiresAtUs: 0,
    };
    this.all.push(cell);
    if (tenant.count === 0) this.#remember(tenant);
    tenant.count += 1;
    const path = [counterId, ...parts];
    let branch = tenant.roots;
    for (const part of path.slice(0, -1)) {
      let next = branch.get(part) as Branch | undefined;
      if (!next) branch.set(part, (next = new Map()));
      branch = next;
    }
    branch.set(path.at(-1) as string | null, cell);
    return cell;
  }

  remove(cell: Cell): void {
    const last = this.all.pop() as Cell;
    if (last !== cell) {
      this.all[cell.index] = last;
      last.index = cell.index;
    }
    cell.index = removed;
    cell.tenant.count -= 1;
    if (cell.tenant.count === 0) this.#forget(cell.tenant);
    prune(cell.tenant.roots, [cell.counterId, ...cell.parts], 0);
  }

  /** Looks at some cells, going round, and drops those whose time is over. */
  sweep(cellsMax: number, nowUs: number): void {
    for (let looked = 0; looked < cellsMax && this.all.length > 0; looked += 1) {
      if (this.#swept >= this.all.length) this.#swept = 0;
      const cell = this.all[this.#swept] as Cell;
      if (cell.expiresAtUs <= nowUs) this.remove(cell);
      else this.#swept += 1;
    }
  }
}

/** The index of a cell that is no longer there: what is written into it is lost. */
export const removed = -1;

function laterId(id: string, generation: number): string {
  return joined([id, String(generation)]);
}

const sweepWhenFull = 256;

function find(
  roots: Branch,
  counterId: string,
  parts: readonly (string | null)[],
): Cell | undefined {
  let node: Branch | Cell | undefined = roots.get(counterId);
  for (let at = 0; at < parts.length; at += 1) {
    if (node === undefined) return undefined;
    node = (node as Branch).get(parts[at] as string | null);
  }
  return node as Cell | undefined;
}

/** Removes the leaf at the end of the path and every branch that is empty without it. */
function prune(branch: Branch, path: readonly (string | null)[], depth: number): void {
  const part = path[depth] as string | null;
  if (depth < path.length - 1) {
    const next = branch.get(part) as Branch;
    prune(next, path, depth + 1);
    if (next.size > 0) return;
  }
  branch.delete(part);
}
