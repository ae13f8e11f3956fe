export const roles = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Who asks for a change, as its token says. */
export type Actor = {
  /** The token's id, or `bootstrap` for the token of the configuration. */
  readonly id: string;
  readonly role: Role;
  /** Null: for the whole platform. */
  readonly tenantId: string | null;
  readonly requestId: string | null;
};

export function hasRole(actor: Actor, least: Role): boolean {
  return roles.indexOf(actor.role) >= roles.indexOf(least);
}
