import type { Engine, LedgerCount, TenantRef } from 'sluice/core';

const minuteUs = 60_000_000;
const linesMax = 10_000;

/**
 * Refusals are counted here and written a second later, all of a kind at once: a flood of them must
 * not cost the store a write each.
 */
export class Gathered {
  readonly #engine: Pick<Engine, 'record'>;
  #lines = new Map<string, Line>();

  constructor(engine: Pick<Engine, 'record'>) {
    this.#engine = engine;
  }

  /** False when there is no room left: the count is lost. */
  add(tenant: TenantRef, label: string, nowUs: number): boolean {
    const minute = Math.floor((nowUs || Date.now() * 1000) / minuteUs);
    const name = `${tenant.id} ${minute} ${label}`;
    const line = this.#lines.get(name);
    if (line) line.count += 1;
    else if (this.#lines.size >= linesMax) return false;
    else this.#lines.set(name, { tenant, minute, label, count: 1 });
    return true;
  }

  async flush(): Promise<void> {
    const lines = [...this.#lines.values()];
    this.#lines = new Map();
    const byTenant = new Map<string, Line[]>();
    for (const line of lines) {
      const { id } = line.tenant;
      const some = byTenant.get(id);
      if (some) some.push(line);
      else byTenant.set(id, [line]);
    }
    await Promise.all([...byTenant.values()].map((some) => this.#write(some)));
  }

  async #write(lines: readonly Line[]): Promise<void> {
    const { tenant } = lines[0] as Line;
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

type Line = {
  readonly tenant: TenantRef;
  readonly minute: number;
  readonly label: string;
  count: number;
};
