import type { Credential } from '../control/credentials/credential.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { KeySource } from '../snapshot/source.ts';
import type { Caller, Identifier } from './identify.ts';

/** There is no tenant of this id. */
export class UnknownTenant extends Error {
  override readonly name = 'UnknownTenant';

  constructor() {
    super('there is no such tenant');
  }
}

/** Who asks without a key counts as one key of this name. */
const gateway = 'gateway';
const absentMs = 5000;
const absentMax = 10_000;

/**
 * For callers that are trusted to name a tenant: its id instead of a key. One that is not there is
 * not looked up again for a while, whoever keeps naming it.
 */
export class TenantIdentifier implements Pick<Identifier, 'identify' | 'forget'> {
  readonly #snapshots: Pick<Snapshots, 'known' | 'load'>;
  readonly #absentUntilMs = new Map<string, number>();

  constructor(snapshots: Pick<Snapshots, 'known' | 'load'>) {
    this.#snapshots = snapshots;
  }

  identify(credential: Credential | null): Caller | Promise<Caller> {
    if (!credential) throw new UnknownTenant();
    const { id } = credential;
    const snapshot = this.#snapshots.known(id);
    return snapshot ? { key: keyOf(id), snapshot } : this.#load(id);
  }

  forget({ tenantId }: KeySource): Error {
    if (this.#absentUntilMs.size >= absentMax) this.#absentUntilMs.clear();
    this.#absentUntilMs.set(tenantId, performance.now() + absentMs);
    return new UnknownTenant();
  }

  async #load(id: string): Promise<Caller> {
    const absentUntilMs = this.#absentUntilMs.get(id);
    if (absentUntilMs !== undefined && performance.now() < absentUntilMs) throw new UnknownTenant();
    const snapshot = await this.#snapshots.load(id);
    if (!snapshot) throw this.forget(keyOf(id));
    return { key: keyOf(id), snapshot };
  }
}

function keyOf(tenantId: string): KeySource {
  return {
    id: gateway,
    tenantId,
    epoch: 0,
    salt: '',
    hash: '',
    scopes: ['check'],
    expiresAtMs: null,
    revoked: false,
  };
}
