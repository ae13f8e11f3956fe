import { type Actor, hasRole, type Role, roles } from './actor.ts';
import { Forbidden, NotFound } from './errors.ts';

/**
 * Who may do what. A role says how much: a viewer reads, an operator changes all but tokens, an
 * owner tokens as well. A token of a tenant reaches that tenant only, and loosens nothing by which
 * the tenant is limited (docs/decisions/0015).
 */
export type Rule = {
  readonly least: Role;
  /** Whether tokens of a tenant may do this at all; which objects they reach, the nouns see to. */
  readonly tenants: boolean;
};

export function authorize(actor: Actor, { least, tenants }: Rule): void {
  if (!hasRole(actor, least)) {
    throw new Forbidden(`this needs a token with the role ${rolesFrom(least)}`);
  }
  if (!tenants) requirePlatform(actor, 'do this');
}

export function requirePlatform(actor: Actor, what: string): void {
  if (actor.tenantId === null) return;
  throw new Forbidden(
    `a tenant's token may not ${what}: what a tenant is limited by is changed with a token of the platform`,
  );
}

/** Another tenant's object is, to a tenant's token, as one that does not exist. */
export function requireReach(actor: Actor, noun: string, tenantId: string | null): void {
  if (actor.tenantId !== null && actor.tenantId !== tenantId) throw new NotFound(noun);
}

/** Fields that a tenant's token may write; naming any other is refused, whatever its value. */
export function requireFields(actor: Actor, input: object, allowed: readonly string[]): void {
  if (actor.tenantId === null) return;
  const other = Object.keys(input).find((field) => !allowed.includes(field));
  if (other !== undefined) requirePlatform(actor, `change ${other}`);
}

/** A key that selects plans selects its own limits: not for a tenant to hand out. */
export function requireScopes(actor: Actor, scopes: readonly string[]): void {
  if (scopes.includes('plan:select')) requirePlatform(actor, 'grant the scope plan:select');
}

/** A tenant keeps its own callers out, and lets none of them through its limits. */
export function requireBlocking(
  actor: Actor,
  block: { readonly tenant_id: string | null; readonly action: 'block' | 'bypass' },
): void {
  if (actor.tenantId !== null && block.tenant_id === null) {
    throw new Forbidden("a tenant's token may only make blocks of its tenant; give tenant_id");
  }
  requireReach(actor, 'tenant', block.tenant_id);
  if (block.action === 'bypass') requirePlatform(actor, 'let anybody bypass its limits');
}

/** Nobody makes a token that may do more than their own. */
export function requireGrant(
  actor: Actor,
  { role, tenantId }: { readonly role: Role; readonly tenantId: string | null },
): void {
  if (actor.tenantId !== null && tenantId === null) {
    throw new Forbidden("a tenant's token may only make tokens of its tenant; give tenant_id");
  }
  requireReach(actor, 'tenant', tenantId);
  if (!hasRole(actor, role)) throw new Forbidden(`a token may not make one with the role ${role}`);
}

function rolesFrom(least: Role): string {
  return roles.slice(roles.indexOf(least)).join(' or ');
}
