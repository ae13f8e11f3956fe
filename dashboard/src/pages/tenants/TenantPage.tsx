import { Link, useLocation, useParams } from 'wouter';
import { TenantView } from './TenantView.tsx';

/** `/tenants/:id/:tab?`, for the platform. */
export default function TenantPage() {
  const { id = '', tab } = useParams();
  const [, navigate] = useLocation();
  return (
    <TenantView
      key={id}
      tenantId={id}
      tab={tab}
      onTab={(next) => navigate(`/tenants/${id}/${next}`, { replace: true })}
      back={<Link href="/tenants">Tenants</Link>}
    />
  );
}
