import { StoreFailure } from '../../core/errors.ts';
import { joined } from '../../core/limit.ts';
import { parseName } from '../../core/parse.ts';
import type {
  FinishedAnswer,
  KeptAnswer,
  Lease,
  ShieldBegun,
  ShieldRef,
  ShieldStore,
} from '../../core/shield-store.ts';
import type { RedisClient } from './client.ts';
import { Keys } from './keys.ts';
import { run, type Script } from './script.ts';
import { openScripts, type Scripts } from './scripts.ts';

export type RedisShieldOptions = { readonly prefix?: string; readonly secret?: string };

/** Answers under idempotency keys, kept in Redis for all processes together. */
export class RedisShield implements ShieldStore {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #scripts: Scripts;

  constructor(client: RedisClient, { prefix = 'sl', secret = '' }: RedisShieldOptions = {}) {
    this.#client = client;
    this.#keys = new Keys({ prefix: parseName('prefix', prefix), secret });
    this.#scripts = openScripts();
  }

  async begin(ref: ShieldRef, { token, leaseMs }: Lease): Promise<ShieldBegun> {
    return begunOf(await this.#run(this.#scripts.shieldBegin, ref, [token, String(leaseMs)]));
  }

  async renew(ref: ShieldRef, { token, leaseMs }: Lease): Promise<boolean> {
    const args = [token, String(leaseMs)];
    return (await this.#run(this.#scripts.shieldRenew, ref, args)) === 1;
  }

  async finish(ref: ShieldRef, { token, answer, keepMs }: FinishedAnswer): Promise<boolean> {
    const args = [token, JSON.stringify(answer), String(keepMs)];
    return (await this.#run(this.#scripts.shieldFinish, ref, args)) === 1;
  }

  async abandon(ref: ShieldRef, token: string): Promise<void> {
    await this.#run(this.#scripts.shieldRenew, ref, [token, '0']);
  }

  /** Fingerprints are of one length there, and say nothing of what they were made of. */
  #run(script: Script, ref: ShieldRef, args: readonly string[]): Promise<unknown> {
    const fingerprint = this.#keys.fingerprint(ref.fingerprint);
    return run(this.#client, script, this.#record(ref), [fingerprint, ...args]);
  }

  #record({ tenant, caller, key }: ShieldRef): [string] {
    return [this.#keys.tenant({ id: tenant }) + this.#keys.shield(joined([caller, key]))];
  }
}

function begunOf(reply: unknown): ShieldBegun {
  const [kind, detail] = Array.isArray(reply) ? (reply as unknown[]) : [];
  if (kind === 0) return { kind: 'first' };
  if (kind === 1 && typeof detail === 'number') return { kind: 'running', leftMs: detail };
  if (kind === 2 && typeof detail === 'string') {
    return { kind: 'kept', answer: JSON.parse(detail) as KeptAnswer };
  }
  if (kind === 3) return { kind: 'conflict' };
  throw new StoreFailure('unreadable');
}
