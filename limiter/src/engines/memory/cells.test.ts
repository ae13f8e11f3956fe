import { describe, expect, it } from 'vitest';
import { parseLimit } from '../../core/parse-limit.ts';
import type { BoundLimit } from '../../core/engine.ts';
import type { Limit } from '../../core/limit.ts';
import { Cells, type Cell, type TenantCells } from './cells.ts';

const limit = parseLimit(
  { algorithm: 'fixed_window', limit: 5, window: '10 s' },
  { definedBy: 'test', field: 'limit' },
) as Limit;

const bound = (...parts: (string | null)[]): BoundLimit => ({ limit, parts, cost: 1 });
const tenant = { id: 'a-tenant' };

function make(cells: Cells, owner: TenantCells, of: BoundLimit, expiresAtUs: number): void {
  cells.keepUntil(cells.make(owner, of), expiresAtUs);
}

describe('cells', () => {
  it('finds a cell by its limit and parts, and no other', () => {
    const cells = new Cells({ cellsMax: 10, cellsPerTenantMax: 10 });
    const made = cells.make(cells.of(tenant), bound('a', null));
    expect(cells.find(cells.of(tenant), bound('a', null))).toBe(made);
    expect(cells.find(cells.of(tenant), bound('a', 'null'))).toBeUndefined();
    expect(cells.find(cells.of(tenant), bound('b', null))).toBeUndefined();
    expect(cells.find(cells.of(tenant), bound('a'))).toBeUndefined();
    expect(cells.find(cells.of(tenant), bound())).toBeUndefined();
    expect(cells.find(cells.of({ id: 'other' }), bound('a', null))).toBeUndefined();
    expect(cells.find(cells.of({ ...tenant, generation: 1 }), bound('a', null))).toBeUndefined();
  });

  it('leaves no empty branch behind a removed cell', () => {
    const cells = new Cells({ cellsMax: 10, cellsPerTenantMax: 10 });
    const owner = cells.of(tenant);
    const one = cells.make(owner, bound('a', 'x'));
    const two = cells.make(owner, bound('a', 'y'));
    cells.remove(one);
    expect(cells.find(owner, bound('a', 'y'))).toBe(two);
    cells.remove(two);
    expect(owner.trees[2]?.size).toBe(0);
    expect(cells.count).toBe(0);
  });

  it('forgets a tenant with its last cell, while others live on', () => {
    const cells = new Cells({ cellsMax: 1000, cellsPerTenantMax: 10 });
    make(cells, cells.of({ id: 'stays' }), bound('a'), 1000);
    for (let at = 0; at < 100; at += 1) {
      make(cells, cells.of({ id: `passes-${at}`, generation: at % 2 }), bound('a'), 5);
    }
    expect(cells.tenants).toBe(101);
    cells.sweep(1000, 10);
    expect(cells.count).toBe(1);
    expect(cells.tenants).toBe(1);
  });

  it('does not remember a tenant that was only asked about', () => {
    const cells = new Cells({ cellsMax: 10, cellsPerTenantMax: 10 });
    for (let at = 0; at < 100; at += 1) cells.find(cells.of({ id: `asked-${at}` }), bound('a'));
    expect(cells.tenants).toBe(0);
  });

  it('has no room at either bound, except for a whole tenant', () => {
    const cells = new Cells({ cellsMax: 3, cellsPerTenantMax: 2 });
    const owner = cells.of(tenant);
    for (const part of ['a', 'b']) make(cells, owner, bound(part), 100);
    expect(cells.hasRoom(owner, bound('c'), 50)).toBe(false);
    expect(cells.hasRoom(owner, bound(), 50)).toBe(true);
    const other = cells.of({ id: 'other' });
    expect(cells.hasRoom(other, bound('a'), 50)).toBe(true);
    make(cells, other, bound('a'), 100);
    expect(cells.hasRoom(other, bound('b'), 50)).toBe(false);
  });

  it('makes room of cells whose time is over, never of live ones', () => {
    const cells = new Cells({ cellsMax: 2, cellsPerTenantMax: 2 });
    const owner = cells.of(tenant);
    make(cells, owner, bound('live'), 100);
    make(cells, owner, bound('over'), 50);
    expect(cells.hasRoom(owner, bound('new'), 49)).toBe(false);
    expect(cells.hasRoom(owner, bound('new'), 50)).toBe(true);
    expect(cells.find(owner, bound('live'))).toBeDefined();
    expect(cells.find(owner, bound('over'))).toBeUndefined();
  });

  it('looks at every cell in turn, however few it may look at', () => {
    const cells = new Cells({ cellsMax: 1000, cellsPerTenantMax: 1000 });
    for (let at = 0; at < 100; at += 1) {
      make(cells, cells.of(tenant), bound(`s${at}`), at % 3 === 0 ? 100 : 5);
    }
    for (let turn = 0; turn < 15; turn += 1) cells.sweep(10, 10);
    expect(cells.count).toBe(34);
    expect([...cells.all()]).toHaveLength(34);
  });

  it('gives the place of a removed cell to another, which inherits nothing', () => {
    const cells = new Cells({ cellsMax: 10, cellsPerTenantMax: 10 });
    const owner = cells.of(tenant);
    const one = cells.make(owner, bound('a'));
    cells.setState(one, limit, { startUs: 1, endUs: 2, used: 3 });
    cells.keepUntil(one, 100);
    cells.needExtras(one).penalty = { untilUs: 5, lengthUs: 5 };
    cells.remove(one);
    const two = cells.make(owner, bound('b'));
    expect(two).toBe(one);
    expect(cells.stateOf(two, limit)).toBeUndefined();
    expect(cells.extrasOf(two)).toBeUndefined();
    expect(cells.expiresAtUs(two)).toBe(0);
  });

  it('keeps what every cell holds while their number grows', () => {
    const cells = new Cells({ cellsMax: 1000, cellsPerTenantMax: 1000 });
    for (let at = 0; at < 1000; at += 1) {
      const cell = cells.make(cells.of(tenant), bound(`s${at}`));
      cells.setState(cell, limit, { startUs: at, endUs: 2 * at, used: 3 * at });
    }
    for (let at = 0; at < 1000; at += 1) {
      const cell = cells.find(cells.of(tenant), bound(`s${at}`)) as Cell;
      const state = { startUs: at, endUs: 2 * at, used: 3 * at };
      expect(cells.stateOf(cell, limit)).toEqual(state);
    }
  });
});
