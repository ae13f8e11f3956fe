import { describe, expect, it } from 'vitest';
import { sameTenant, sameText } from './same.ts';
import type { TenantSource } from './source.ts';
import { tenant } from './test-sources.ts';

/** As one that was just read: nothing in it is anybody else's. */
function read(fields: Partial<TenantSource> = {}): TenantSource {
  return JSON.parse(JSON.stringify(tenant(fields))) as TenantSource;
}

describe('what many tenants have in common', () => {
  it('is kept once, and says the same', () => {
    const plans = [{ id: 'own', name: 'own', version: 1, limits: [] }];
    const some = read({ plans, status: 'suspended', planId: null });
    const other = read({ modes: [], blocks: [] });
    expect(sameTenant(some)).toEqual(some);
    expect(sameTenant(other)).toEqual(other);
    expect(sameTenant(other).modes).toBe(sameTenant(some).blocks);
    expect(sameTenant(other).epoch).toBe(sameTenant(some).epoch);
    const epoch = { tenant: some.epoch.tenant + 1, shared: some.epoch.shared };
    expect(sameTenant(read({ epoch })).epoch).toEqual(epoch);
  });

  it('of texts says the same, however many there are', () => {
    for (let at = 0; at < 20_000; at += 1) expect(sameText(`text ${at}`)).toBe(`text ${at}`);
  });
});
