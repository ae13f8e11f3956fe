import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { mint, seal } from '../control/credentials/credential.ts';
import { KeyRing } from './key-ring.ts';
import type { KnownKey } from './known-key.ts';
import type { SourceReader } from './read-source.ts';
import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

const tenantId = randomUUID();
const reader = {
  key: async (id: string): Promise<KeySource> => ({
    id,
    tenantId,
    ...seal('the secret'),
    epoch: 1,
    scopes: ['check'],
    expiresAtMs: null,
    revoked: false,
  }),
} as unknown as SourceReader;

it('lets go of what is old of a tenant, whether a key was asked for lately or not', async () => {
  const ring = new KeyRing({ reader, cache: null, watch: () => {}, keysMax: 4 });
  const snapshot = { id: tenantId } as Snapshot;
  const ids = [1, 2, 3].map(() => mint('key', 'mark').id);
  // The third begins a younger half.
  const held: (KnownKey | null)[] = [];
  for (const id of ids) {
    const key = await ring.find(id);
    key?.seen(snapshot);
    held.push(key);
  }
  const seen = () => held.map((key) => key?.snapshot);
  ring.letGo(() => false);
  expect(seen()).toEqual([snapshot, snapshot, snapshot]);
  ring.letGo((one) => one === snapshot);
  expect(seen()).toEqual([null, null, null]);
  expect(held.map((key) => key?.tenantId)).toEqual([tenantId, tenantId, tenantId]);
});
