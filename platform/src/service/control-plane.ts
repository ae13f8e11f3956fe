import { ApiKeys } from '../control/api-keys/api-keys.ts';
import { Audit } from '../control/audit/audit.ts';
import { Changes } from '../control/change.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { Plans } from '../control/plans/plans.ts';
import { Policies } from '../control/policies/policies.ts';
import { Publications } from '../control/publications/publications.ts';
import { Tenants } from '../control/tenants/tenants.ts';
import { Tokens } from '../control/tokens/tokens.ts';
import type { Control } from '../doors/http/admin/index.ts';
import type { Foundation } from './foundation.ts';

export function openControl(
  { database: { db }, secrets }: Foundation,
  {
    publisher,
    onShared,
    adminToken,
  }: { readonly publisher: Publisher; readonly onShared: () => void; readonly adminToken: string },
): Control {
  const changes = new Changes({ db, publisher, onShared });
  const common = { db, changes };
  return {
    tenants: new Tenants(common),
    plans: new Plans(common),
    policies: new Policies(common),
    keys: new ApiKeys({ ...common, markSecret: secrets.mark }),
    tokens: new Tokens({ ...common, markSecret: secrets.mark, bootstrap: adminToken }),
    audit: new Audit({ db }),
    publications: new Publications({ db }),
  };
}
