import { InvalidInput } from 'sluice';
import type { CanonicalLimit } from 'sluice/contract';

/** What counts all tenants together is nobody's own: neither a plan nor a tenant's policy has it. */
export function refuseGlobal(limits: readonly CanonicalLimit[]): void {
  for (const [at, { per = [] }] of limits.entries()) {
    if (!per.includes('global')) continue;
    throw new InvalidInput(
      `limits[${at}].per`,
      'has global, which counts all tenants together; put the limit into a policy without tenant_id',
    );
  }
}
