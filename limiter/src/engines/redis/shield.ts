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
import { run } from './script.ts';
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

  async begin(ref: ShieldRef, lease: Lease & { fingerprint: string }): Promise<ShieldBegun> {
    const { fingerprint, token, leaseMs } = lease;
    const args = [this.#keys.fingerprint(fingerprint), token, String(leaseMs)];
    const reply = await run(this.#client, this.#scripts.shieldBegin, this.#record(ref), args);
    return begunOf(reply);
  }

  renew(ref: ShieldRef, { token, leaseMs }: Lease): Promise<boolean> {
    return this.#said1(this.#scripts.shieldRenew, ref, [token, String(leaseMs)]);
  }

  finish(ref: ShieldRef, { token, answer, keepMs }: FinishedAnswer): Promise<boolean> {
    const args = [token, JSON.stringify(answer), String(keepMs)];
    return this.#said1(this.#scripts.shieldFinish, ref, args);
  }

  async abandon(ref: ShieldRef, token: string): Promise<void> {
    await this.#said1(this.#scripts.shieldRenew, ref, [token, '0']);
  }

  async #said1(script: Scripts['release'], ref: ShieldRef, args: string[]): Promise<boolean> {
    return (await run(this.#client, script, this.#record(ref), args)) === 1;
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
