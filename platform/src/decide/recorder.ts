import type { Decision, Engine, LedgerCount, Question, TenantRef } from 'sluice/core';

const minuteUs = 60_000_000;
const linesMax = 10_000;

/**
 * What happened, for the ledger. What is charged, the store counts as it charges. Refusals are
 * counted here and written a second later, all of a kind at once: a flood of them must not cost the
 * store a write each.
 */
export class Recorder {
  readonly #engine: Pick<Engine, 'record'>;
  #refusals = new Map<string, Refusals>();
  #active = new Map<string, TenantRef>();
  #usedKeys = new Set<string>();

  constructor(engine: Pick<Engine, 'record'>) {
    this.#engine = engine;
  }

  note(tenant: TenantRef, { peek, ledgerLabel }: Question, { allowed }: Decision): void {
    if (peek || ledgerLabel === undefined) return;
    this.#active.set(tenant.id, tenant);
    if (!allowed) this.#countRefusal(tenant, ledgerLabel);
  }

  /** Nobody asked a limit, and yet it was refused. */
  shutOut(tenant: TenantRef, { ledgerLabel }: Question): void {
    if (ledgerLabel === undefined) return;
    this.#active.set(tenant.id, tenant);
    this.#countRefusal(tenant, ledgerLabel);
  }

  keyUsed(id: string): void {
    this.#usedKeys.add(id);
  }

  takeUsedKeys(): string[] {
    const used = [...this.#usedKeys];
    this.#usedKeys = new Set();
    return used;
  }

  /** The tenants that something was counted for since the last time: their ledgers can be moved. */
  takeActive(): TenantRef[] {
    const active = [...this.#active.values()];
    this.#active = new Map();
    return active;
  }

  async flush(): Promise<void> {
    const byTenant = new Map<string, Refusals[]>();
    for (const line of this.#refusals.values()) {
      const lines = byTenant.get(line.tenant.id);
      if (lines) lines.push(line);
      else byTenant.set(line.tenant.id, [line]);
    }
    this.#refusals = new Map();
    await Promise.all([...byTenant.values()].map((lines) => this.#write(lines)));
  }

  #countRefusal(tenant: TenantRef, label: string): void {
    const minute = Math.floor((Date.now() * 1000) / minuteUs);
    const name = `${tenant.id} ${minute} ${label}`;
    const line = this.#refusals.get(name);
    if (line) line.count += 1;
    else if (this.#refusals.size < linesMax) {
      this.#refusals.set(name, { tenant, minute, label, count: 1 });
    }
  }

  async #write(lines: readonly Refusals[]): Promise<void> {
    const { tenant } = lines[0] as Refusals;
    const counts = lines.map(({ minute, label, count }): LedgerCount => ({
      minute,
      outcome: 'blocked',
      label,
      count,
    }));
    try {
      await this.#engine.record(tenant, counts);
    } catch {
      // It may have been written: written again it could be counted twice.
    }
  }
}

type Refusals = {
  readonly tenant: TenantRef;
  readonly minute: number;
  readonly label: string;
  count: number;
};
