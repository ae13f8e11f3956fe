import { useLocation, useParams } from 'wouter';
import { useSession } from '../../session/session.ts';
import { TenantView } from './TenantView.tsx';

/** `/account/:tab`: the tenant that is all its token reaches. */
export default function AccountPage() {
  const { tenantId } = useSession();
  const { tab } = useParams();
  const [, navigate] = useLocation();
  return (
    tenantId !== null && (
      <TenantView
        tenantId={tenantId}
        tab={tab}
        onTab={(next) => navigate(`/account/${next}`, { replace: true })}
      />
    )
  );
}
