/** A limit of a tenant as it is configured right now. */
export type Standing = {
  readonly name: string;
  /** As its counters know it: `plan`, `policy` with its pattern, or `quota`. */
  readonly definedBy: string;
  /** The plan or policy; null for the tenant's quota. */
  readonly definerId: string | null;
  readonly mode: 'off' | 'shadow' | 'warn' | 'enforce';
  readonly enforceFromMs: number | null;
  /** Where its mode is said; null where that is not known. */
  readonly layer: Layer | null;
  readonly security: boolean;
  readonly algorithm: string;
  readonly size: number;
};

/** Where a mode can be said, the one that counts before another first. */
export const layers = [
  'limit',
  'own',
  'policy',
  'resource',
  'policy_own',
  'tenant',
  'platform',
  'nothing',
] as const;
export type Layer = (typeof layers)[number];

/** Null when there is no such tenant. */
export type ReadStanding = (tenantId: string) => Promise<readonly Standing[] | null>;

const quotaLevels = /\/(?:team|user)$/;

/** The levels of a quota's tree have one mode, and are configured as one. */
export function isOf(
  standing: Standing,
  { name, definedBy }: { readonly name: string; readonly definedBy: string },
): boolean {
  if (standing.definedBy !== definedBy) return false;
  return standing.name === (definedBy === 'quota' ? name.replace(quotaLevels, '') : name);
}
