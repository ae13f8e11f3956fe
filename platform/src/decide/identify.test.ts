import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { mint, seal } from '../control/credentials/credential.ts';
import { KeyRing } from '../snapshot/key-ring.ts';
import type { SourceReader } from '../snapshot/read-source.ts';
import { Snapshots } from '../snapshot/snapshots.ts';
import { nowMs, shared, tenant } from '../snapshot/test-sources.ts';
import { AddressFailures } from './address-failures.ts';
import { Identifier } from './identify.ts';

const markSecret = 'mark';
const address = '192.0.2.1';

/** An identifier whose database has one tenant with one key. */
function rigOf() {
  const credential = mint('key', markSecret);
  const tenantId = randomUUID();
  const reader = {
    shared: async () => shared(),
    tenant: async (id: string) => tenant({ id }),
    key: async (id: string) => ({
      id,
      tenantId,
      ...seal(credential.secret),
      epoch: 1,
      scopes: ['check'],
      expiresAtMs: null,
      revoked: false,
    }),
  } as unknown as SourceReader;
  const keys = new KeyRing({ reader, cache: null, watch: () => {}, keysMax: 100 });
  const time = { nowMs: () => nowMs };
  const snapshots = new Snapshots({ reader, cache: null, watch: () => {}, tenantsMax: 100, time });
  const identifier = new Identifier({
    keys,
    snapshots,
    strangers: new AddressFailures(),
    lookUps: new AddressFailures(),
    markSecret,
    isImported: () => false,
    isUnavailable: () => false,
    onFailure: () => {},
  });
  return { credential, identifier, keys, tenantId };
}

it('looks up who calls for the first time, and knows key and tenant from then on', async () => {
  const { credential, identifier, keys, tenantId } = rigOf();
  const looked = identifier.identify(credential, address);
  expect(looked).toBeInstanceOf(Promise);
  const { snapshot } = await looked;
  expect(snapshot.tenant.id).toBe(tenantId);
  // At a glance: its tenant is not looked for by id again.
  expect(keys.known(credential.id)?.snapshot).toBe(snapshot);
  expect(identifier.identify(credential, address)).toMatchObject({ snapshot });
});

it('notes no tenant with a key whose secret is wrong', async () => {
  const { credential, identifier, keys } = rigOf();
  const guessed = { ...credential, secret: mint('key', markSecret).secret };
  await expect(async () => identifier.identify(guessed, address)).rejects.toThrow(/unknown/);
  expect(keys.known(credential.id)?.snapshot).toBeNull();
});
