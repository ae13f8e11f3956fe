import type { Tenant } from '../../api/objects.ts';
import { Badge } from '../../ui/Badge.tsx';

export function StatusBadge({ status }: Pick<Tenant, 'status'>) {
  return <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>;
}
