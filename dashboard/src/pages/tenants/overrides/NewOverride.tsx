import type { Tenant } from '../../../api/objects.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Empty, Loading } from '../../../ui/States.tsx';
import { useDefinitions } from './definitions.ts';
import { OverrideForm } from './OverrideForm.tsx';

export function NewOverride({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}) {
  const { definitions, isLoading } = useDefinitions(tenant);
  const [first] = definitions;
  return (
    <Dialog title="New override" onClose={onClose}>
      {isLoading ? (
        <Loading />
      ) : first ? (
        <OverrideForm
          tenantId={tenant.id}
          definitions={definitions}
          first={first}
          onClose={onClose}
        />
      ) : (
        <Empty icon="plan" title="No limit to override">
          Put the tenant on a plan first, or give it a policy.
        </Empty>
      )}
    </Dialog>
  );
}
