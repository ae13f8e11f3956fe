import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantRef } from '../../core/engine.ts';
import { KnownTenant, type Standing } from '../../core/known-tenant.ts';
import { Gate, type GateOptions } from './gate.ts';

const tenants = ['a', 'b', 'c'] as const;

/** A gate whose standings are known by their tenants, which keep them where they have notes. */
function namedGate(options: GateOptions, { withNotes }: { readonly withNotes: boolean }) {
  const gate = new Gate(options);
  const refs = new Map<string, TenantRef>();
  const refOf = (id: string): TenantRef => {
    const ref = refs.get(id) ?? (withNotes ? new KnownTenant({ id }) : { id });
    refs.set(id, ref);
    return ref;
  };
  const standings = new Map<string, Standing>();
  const keep = (tenant: string, standing: Standing | null) => {
    if (standing) standings.set(tenant, standing);
    return standing !== null;
  };
  return {
    enter: (tenant: string) => keep(tenant, gate.enter(refOf(tenant))),
    leave: (tenant: string) => gate.leave(standings.get(tenant) as Standing),
    wait: (tenant: string, go: () => void) => {
      const waiting = (standing: Standing) => {
        keep(tenant, standing);
        go();
      };
      const standing = gate.wait(refOf(tenant), waiting);
      return standing !== null && { cancel: () => gate.cancel(standing, waiting) };
    },
    get inFlight() {
      return gate.inFlight;
    },
  };
}

describe.each([{ withNotes: true }, { withNotes: false }])(
  'a gate, of tenants with notes: $withNotes',
  (kind) => {
    it('lets in as many as there may be, of one tenant and of all', () => {
      const gate = namedGate({ max: 3, perTenantMax: 2 }, kind);
      expect(['a', 'a', 'a', 'b', 'b'].map((tenant) => gate.enter(tenant))).toEqual([
        true,
        true,
        false,
        true,
        false,
      ]);
      gate.leave('a');
      expect([gate.enter('b'), gate.enter('c')]).toEqual([true, false]);
      expect(gate.inFlight).toBe(3);
    });

    it('lets tenants in by turns, however many one has waiting', () => {
      const gate = namedGate({ max: 1, perTenantMax: 1 }, kind);
      gate.enter('a');
      const gone: string[] = [];
      for (let call = 0; call < 5; call += 1) gate.wait('flood', () => gone.push('flood'));
      gate.wait('b', () => gone.push('b'));
      gate.wait('c', () => gone.push('c'));
      gate.leave('a');
      for (const tenant of ['flood', 'b', 'c', 'flood']) gate.leave(tenant);
      expect(gone).toEqual(['flood', 'b', 'c', 'flood', 'flood']);
    });

    it('does not let who comes overtake who waits', () => {
      const gate = namedGate({ max: 2, perTenantMax: 1 }, kind);
      gate.enter('a');
      let gone = 0;
      gate.wait('a', () => (gone += 1));
      expect(gate.enter('a')).toBe(false);
      gate.leave('a');
      expect(gone).toBe(1);
    });

    it('forgets who waits no longer', () => {
      const gate = namedGate({ max: 1, perTenantMax: 1 }, kind);
      gate.enter('a');
      const gone: string[] = [];
      const late = gate.wait('a', () => gone.push('late'));
      gate.wait('a', () => gone.push('next'));
      if (late) late.cancel();
      gate.leave('a');
      expect(gone).toEqual(['next']);
    });

    it('knows who is under way and who waits, however many others came and went', () => {
      const gate = namedGate({ max: 2, perTenantMax: 1 }, kind);
      const gone: string[] = [];
      gate.enter('a');
      gate.wait('a', () => gone.push('a'));
      for (let at = 0; at < 10_000; at += 1) {
        expect(gate.enter(`passer-by ${at}`)).toBe(true);
        gate.leave(`passer-by ${at}`);
      }
      expect([gate.enter('a'), gate.inFlight]).toEqual([false, 1]);
      gate.leave('a');
      expect(gone).toEqual(['a']);
    });

    it('turns away who comes when a thousand wait', () => {
      const gate = namedGate({ max: 1, perTenantMax: 1 }, kind);
      gate.enter('a');
      for (let call = 0; call < 1024; call += 1) expect(gate.wait('a', () => {})).toBeTruthy();
      expect(gate.wait('a', () => {})).toBe(false);
      expect(gate.wait('b', () => {})).toBeTruthy();
    });

    it('never lets in too many, and never leaves room while somebody waits', () => {
      const step = fc.record({ tenant: fc.constantFrom(...tenants), leave: fc.boolean() });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
          const gate = namedGate({ max: 4, perTenantMax: 2 }, kind);
          const inside = { a: 0, b: 0, c: 0 };
          const waiting = { a: 0, b: 0, c: 0 };
          const all = () => Object.values(inside).reduce((sum, count) => sum + count, 0);
          for (const { tenant, leave } of steps) {
            if (leave) {
              if (inside[tenant] === 0) continue;
              inside[tenant] -= 1;
              gate.leave(tenant);
            } else if (gate.enter(tenant)) inside[tenant] += 1;
            else {
              waiting[tenant] += 1;
              gate.wait(tenant, () => {
                waiting[tenant] -= 1;
                inside[tenant] += 1;
              });
            }
            expect(all()).toBe(gate.inFlight);
            expect(all()).toBeLessThanOrEqual(4);
            for (const name of tenants) {
              expect(inside[name]).toBeLessThanOrEqual(2);
              const couldGo = waiting[name] > 0 && inside[name] < 2 && all() < 4;
              expect(couldGo).toBe(false);
            }
          }
        }),
      );
    });
  },
);

it('counts who stands at another gate too by itself', () => {
  const tenant = new KnownTenant({ id: 'a' });
  const gates = [1, 2].map(() => new Gate({ max: 2, perTenantMax: 1 }));
  const standings = gates.map((gate) => gate.enter(tenant));
  expect(standings.every((standing) => standing !== null)).toBe(true);
  expect(gates.map((gate) => gate.enter(tenant))).toEqual([null, null]);
  gates[0]?.leave(standings[0] as Standing);
  expect(gates.map((gate) => gate.enter(tenant) !== null)).toEqual([true, false]);
});
