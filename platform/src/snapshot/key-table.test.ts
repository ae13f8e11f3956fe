import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mint, seal } from '../control/credentials/credential.ts';
import { KeyTable } from './key-table.ts';
import type { KnownKey } from './known-key.ts';
import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

type Made = KeySource & { readonly secret: string };

function makeKey(fields: Partial<KeySource> = {}): Made {
  const { id, secret } = mint('key', 'mark');
  const tenantId = randomUUID();
  const rest = { epoch: 1, scopes: ['check'], expiresAtMs: null, revoked: false };
  return { id, secret, tenantId, ...seal(secret), ...rest, ...fields };
}

/** All that it says, read one by one: most of it has no field of its own. */
function read(key: KeySource | undefined): KeySource | undefined {
  if (!key) return undefined;
  const { id, tenantId, epoch, salt, hash, scopes, expiresAtMs, revoked } = key;
  return { id, tenantId, epoch, salt, hash, scopes, expiresAtMs, revoked };
}

function sourceOf(made: Made): KeySource {
  return read(made) as KeySource;
}

describe('a table of keys', () => {
  it('says of each key what it was told, however many there are', () => {
    const table = new KeyTable();
    const made = Array.from({ length: 5000 }, (_, at) =>
      makeKey({
        epoch: 2 ** 40 + at,
        scopes: at % 3 === 0 ? ['check', 'settle'] : at % 3 === 1 ? ['usage'] : [],
        expiresAtMs: at % 2 === 0 ? null : 1_800_000_000_000 + at,
        revoked: at % 7 === 0,
      }),
    );
    for (const key of made) table.set(key.id, key);
    expect(table.size).toBe(made.length);
    for (const key of made) expect(read(table.get(key.id))).toEqual(sourceOf(key));
    expect(table.get(makeKey().id)).toBeUndefined();
  });

  it('opens for its own secret alone', () => {
    const table = new KeyTable();
    const [one, other] = [makeKey(), makeKey()];
    for (const key of [one, other]) table.set(key.id, key);
    expect(table.get(one.id)?.opens(one.secret)).toBe(true);
    expect(table.get(one.id)?.opens(other.secret)).toBe(false);
    expect(table.get(other.id)?.opens(other.secret)).toBe(true);
  });

  it('finds nothing by a part of an id, by more than one, or by other letters', () => {
    const table = new KeyTable();
    const { id, ...key } = makeKey();
    table.set(id, { id, ...key });
    for (const wrong of ['', id.slice(0, -1), `${id}A`, `${id.slice(0, -1)}é`, '\0'.repeat(21)]) {
      expect(table.get(wrong), wrong).toBeUndefined();
    }
  });

  it('is a map, whatever is done to it', () => {
    const some = Array.from({ length: 12 }, () => makeKey());
    const one = fc.constantFrom(...some);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), key: one, epoch: fc.nat() }),
      fc.record({ kind: fc.constant('delete' as const), key: one, epoch: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const table = new KeyTable(4);
        const map = new Map<string, KeySource>();
        for (const { kind, key, epoch } of steps) {
          const source = { ...sourceOf(key), epoch };
          if (kind === 'set') table.set(key.id, source);
          else table.delete(key.id);
          if (kind === 'set') map.set(key.id, source);
          else map.delete(key.id);
          expect(table.size).toBe(map.size);
        }
        for (const { id } of some) expect(read(table.get(id))).toEqual(map.get(id));
      }),
    );
  });

  it('keeps what is noted with a key, until it is told anew', () => {
    const table = new KeyTable();
    const made = makeKey();
    const snapshot = { id: made.tenantId } as Snapshot;
    table.set(made.id, made);
    const held = table.get(made.id) as KnownKey;
    held.seen(snapshot);
    held.usedIn = 7;
    expect(table.get(made.id)).toMatchObject({ snapshot, usedIn: 7 });
    table.set(made.id, made);
    expect(table.get(made.id)).toMatchObject({ snapshot: null, usedIn: 0 });
    // It grows, and who holds a key writes to where the key now is.
    for (let more = 0; more < 3000; more += 1) {
      const other = makeKey();
      table.set(other.id, other);
    }
    held.usedIn = 8;
    held.seen(snapshot);
    expect(table.get(made.id)).toMatchObject({ snapshot, usedIn: 8 });
    table.delete(made.id);
    table.set(made.id, made);
    expect(table.get(made.id)).toMatchObject({ snapshot: null, usedIn: 0 });
  });

  it('does not grow with keys that come and go, and moves no note to another key', () => {
    const table = new KeyTable(8);
    const [stays, goes, ...others] = Array.from({ length: 5 }, () => makeKey()) as [Made, Made];
    for (const key of [goes, ...others, stays]) table.set(key.id, key);
    const [held, lost] = [stays, goes].map(({ id }) => table.get(id) as KnownKey) as [
      KnownKey,
      KnownKey,
    ];
    table.delete(goes.id);
    for (let more = 0; more < 1000; more += 1) {
      const other = makeKey();
      table.set(other.id, other);
      table.delete(other.id);
    }
    expect(table.moves).toBeGreaterThan(0);
    expect(table.room).toBe(8);
    expect(table.size).toBe(4);
    const snapshot = { id: stays.tenantId } as Snapshot;
    held.seen(snapshot);
    held.usedIn = 7;
    lost.seen({ id: goes.tenantId } as Snapshot);
    lost.usedIn = 9;
    expect(table.get(stays.id)).toMatchObject({ snapshot, usedIn: 7 });
    for (const { id } of others as Made[]) {
      expect(table.get(id)).toMatchObject({ snapshot: null, usedIn: 0 });
    }
    expect(held.opens(stays.secret)).toBe(true);
    expect(lost.opens(goes.secret)).toBe(false);
    expect(read(held)).toEqual(sourceOf(stays));
    expect(table.get(goes.id)).toBeUndefined();
  });

  it('lets go of what is old of tenants, some keys at a time, round and round', () => {
    const table = new KeyTable(4);
    const made = Array.from({ length: 7 }, () => makeKey());
    const snapshots = made.map(({ tenantId }) => ({ id: tenantId }) as Snapshot);
    for (const [at, key] of made.entries()) {
      table.set(key.id, key);
      table.get(key.id)?.seen(snapshots[at] as Snapshot);
    }
    const seen = () => made.map(({ id }) => table.get(id)?.snapshot ?? null);
    const old = new Set<Snapshot>([1, 4, 6].map((at) => snapshots[at] as Snapshot));
    const left = (gone: readonly number[]) =>
      snapshots.map((snapshot, at) => (gone.includes(at) ? null : snapshot));
    table.letGo(3, (snapshot) => old.has(snapshot));
    expect(seen()).toEqual(left([1]));
    table.letGo(3, (snapshot) => old.has(snapshot));
    expect(seen()).toEqual(left([1, 4]));
    table.letGo(3, (snapshot) => old.has(snapshot));
    expect(seen()).toEqual(left([1, 4, 6]));
    old.add(snapshots[0] as Snapshot);
    table.letGo(3, (snapshot) => old.has(snapshot));
    expect(seen()).toEqual(left([0, 1, 4, 6]));
    expect(table.get((made[0] as Made).id)?.tenantId).toBe((made[0] as Made).tenantId);
  });

  it('leaves a key as it was when it is told nonsense of it', () => {
    const table = new KeyTable();
    const made = makeKey();
    table.set(made.id, made);
    for (const wrong of [{ salt: '' }, { hash: 'zz' }, { tenantId: 't' }]) {
      expect(() => table.set(made.id, { ...made, epoch: 9, ...wrong })).toThrow(/of a key has/);
    }
    expect(() => table.set('short', made)).toThrow(/the id of a key has 5/);
    expect(read(table.get(made.id))).toEqual(sourceOf(made));
    expect(table.size).toBe(1);
  });

  it('tells of a key as it was when it was asked for', () => {
    const table = new KeyTable();
    const made = makeKey();
    table.set(made.id, made);
    const held = table.get(made.id);
    table.set(made.id, { ...made, epoch: 2, revoked: true });
    expect(held).toMatchObject({ epoch: 1, revoked: false });
    expect(table.get(made.id)).toMatchObject({ epoch: 2, revoked: true });
  });
});
