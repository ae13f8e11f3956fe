import { lazy, type ComponentType } from 'react';
import type { Session } from './session/session.ts';
import type { IconName } from './ui/Icon.tsx';

/** Who a page is for. Hides only: what a token may read, the service decides. */
export type Audience = 'anyone' | 'signed-in' | 'platform' | 'tenant';

export type PageRoute = {
  /** Behind the `#`, as wouter spells it: `/tenants/:id`. */
  readonly path: string;
  readonly audience: Audience;
  readonly page: ComponentType;
  /** Its place in the navigation; pages that are reached from others have none. */
  readonly nav?: { readonly label: string; readonly icon: IconName; readonly group: Group };
};

export const groups = ['Try', 'Watch', 'Configure', 'Manage'] as const;
export type Group = (typeof groups)[number];

/** Every page. The first that matches an address, and that the reader is meant to see, is shown. */
export const routes: readonly PageRoute[] = [
  {
    path: '/playground',
    audience: 'anyone',
    page: lazy(() => import('./pages/playground/PlaygroundPage.tsx')),
    nav: { label: 'Playground', icon: 'play', group: 'Try' },
  },
  {
    path: '/overview',
    audience: 'platform',
    page: lazy(() => import('./pages/overview/OverviewPage.tsx')),
    nav: { label: 'Overview', icon: 'gauge', group: 'Watch' },
  },
  {
    path: '/tenants',
    audience: 'platform',
    page: lazy(() => import('./pages/tenants/list/TenantsPage.tsx')),
    nav: { label: 'Tenants', icon: 'tenant', group: 'Manage' },
  },
  {
    path: '/tenants/:id/:tab?',
    audience: 'platform',
    page: lazy(() => import('./pages/tenants/TenantPage.tsx')),
  },
  {
    path: '/account',
    audience: 'tenant',
    page: lazy(() => import('./pages/tenants/AccountHome.tsx')),
    nav: { label: 'My tenant', icon: 'tenant', group: 'Watch' },
  },
  {
    path: '/account/:tab',
    audience: 'tenant',
    page: lazy(() => import('./pages/tenants/AccountPage.tsx')),
  },
  {
    path: '/plans',
    audience: 'signed-in',
    page: lazy(() => import('./pages/plans/PlansPage.tsx')),
    nav: { label: 'Plans', icon: 'plan', group: 'Configure' },
  },
  {
    path: '/plans/new',
    audience: 'platform',
    page: lazy(() => import('./pages/plans/NewPlanPage.tsx')),
  },
  {
    path: '/plans/:id',
    audience: 'signed-in',
    page: lazy(() => import('./pages/plans/PlanPage.tsx')),
  },
  {
    path: '/policies',
    audience: 'signed-in',
    page: lazy(() => import('./pages/policies/PoliciesPage.tsx')),
    nav: { label: 'Policies', icon: 'policy', group: 'Configure' },
  },
  {
    path: '/policies/new',
    audience: 'platform',
    page: lazy(() => import('./pages/policies/NewPolicyPage.tsx')),
  },
  {
    path: '/policies/explain',
    audience: 'signed-in',
    page: lazy(() => import('./pages/policies/ExplainPage.tsx')),
  },
  {
    path: '/policies/:id',
    audience: 'signed-in',
    page: lazy(() => import('./pages/policies/PolicyPage.tsx')),
  },
  {
    path: '/decisions',
    audience: 'signed-in',
    page: lazy(() => import('./pages/decisions/DecisionsPage.tsx')),
    nav: { label: 'Decisions', icon: 'decision', group: 'Watch' },
  },
  {
    path: '/decisions/:id',
    audience: 'signed-in',
    page: lazy(() => import('./pages/decisions/DecisionsPage.tsx')),
  },
  {
    path: '/quotas',
    audience: 'signed-in',
    page: lazy(() => import('./pages/quotas/QuotasPage.tsx')),
    nav: { label: 'Quotas', icon: 'quota', group: 'Configure' },
  },
  {
    path: '/quotas/:tenantId',
    audience: 'platform',
    page: lazy(() => import('./pages/quotas/QuotaPage.tsx')),
  },
  {
    path: '/rollout',
    audience: 'signed-in',
    page: lazy(() => import('./pages/rollout/RolloutPage.tsx')),
    nav: { label: 'Rollout', icon: 'rollout', group: 'Configure' },
  },
  {
    path: '/rollout/:tenantId/:limit',
    audience: 'signed-in',
    page: lazy(() => import('./pages/rollout/RolloutLimitPage.tsx')),
  },
  {
    path: '/audit',
    audience: 'signed-in',
    page: lazy(() => import('./pages/audit/AuditPage.tsx')),
    nav: { label: 'Audit', icon: 'audit', group: 'Manage' },
  },
  {
    path: '/settings',
    audience: 'signed-in',
    page: lazy(() => import('./pages/settings/SettingsPage.tsx')),
    nav: { label: 'Settings', icon: 'settings', group: 'Manage' },
  },
];

export function isFor(audience: Audience, { isSignedIn, tenantId }: Session): boolean {
  if (audience === 'anyone') return true;
  if (!isSignedIn) return false;
  return audience === 'signed-in' || (audience === 'tenant') === (tenantId !== null);
}

/** Where `/` leads. */
export function homeOf(session: Session): string {
  const paths = routes.filter(({ nav, audience }) => nav && isFor(audience, session));
  const home = paths.find(({ nav }) => nav?.group === 'Watch') ?? paths[0];
  return home?.path ?? '/playground';
}
