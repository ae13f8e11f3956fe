import { describe, expect, it } from 'vitest';
import { type Actor, type Role, roles } from './actor.ts';
import {
  authorize,
  requireBlocking,
  requireFields,
  requireGrant,
  requireReach,
  requireScopes,
} from './authorize.ts';
import { Forbidden, NotFound } from './errors.ts';

const platform = (role: Actor['role']): Actor => ({
  id: 'x',
  role,
  tenantId: null,
  requestId: null,
});
const ofTenant = (role: Actor['role']): Actor => ({ ...platform(role), tenantId: 'a' });

describe('a role', () => {
  it('may do what it takes and what lesser ones may, and no more', () => {
    for (const [has, role] of roles.entries()) {
      const attempt = (least: Role) => () => authorize(platform(role), { least, tenants: true });
      for (const least of roles.slice(0, has + 1)) expect(attempt(least)).not.toThrow();
      for (const least of roles.slice(has + 1)) expect(attempt(least)).toThrow(Forbidden);
    }
  });

  it('of a tenant does not open what is for the platform', () => {
    expect(() => authorize(ofTenant('owner'), { least: 'viewer', tenants: false })).toThrow(
      Forbidden,
    );
  });
});

describe("a tenant's token", () => {
  it('finds nothing of other tenants, nor of the platform', () => {
    expect(() => requireReach(ofTenant('owner'), 'key', 'a')).not.toThrow();
    expect(() => requireReach(ofTenant('owner'), 'key', 'b')).toThrow(NotFound);
    expect(() => requireReach(ofTenant('owner'), 'token', null)).toThrow(NotFound);
    expect(() => requireReach(platform('viewer'), 'key', 'b')).not.toThrow();
  });

  it('may write the fields that are listed, and is told which one it may not', () => {
    expect(() => requireFields(ofTenant('owner'), { name: 'x' }, ['name'])).not.toThrow();
    expect(() => requireFields(ofTenant('owner'), { name: 'x', tier: 'y' }, ['name'])).toThrow(
      /tier/,
    );
    expect(() => requireFields(platform('operator'), { tier: 'y' }, ['name'])).not.toThrow();
  });

  it('grants no scope by which a caller chooses its plan', () => {
    expect(() => requireScopes(ofTenant('owner'), ['check'])).not.toThrow();
    expect(() => requireScopes(ofTenant('owner'), ['check', 'plan:select'])).toThrow(Forbidden);
    expect(() => requireScopes(platform('operator'), ['plan:select'])).not.toThrow();
  });
});

describe('a block', () => {
  it("by a tenant's token is of its tenant, and no bypass", () => {
    const attempt = (actor: Actor, tenant_id: string | null, action: 'block' | 'bypass') => () =>
      requireBlocking(actor, { tenant_id, action });
    expect(attempt(ofTenant('operator'), 'a', 'block')).not.toThrow();
    expect(attempt(ofTenant('owner'), 'a', 'bypass')).toThrow(Forbidden);
    expect(attempt(ofTenant('owner'), null, 'block')).toThrow(Forbidden);
    expect(attempt(ofTenant('owner'), 'b', 'block')).toThrow(NotFound);
    expect(attempt(ofTenant('owner'), 'b', 'bypass')).toThrow(NotFound);
    expect(attempt(platform('operator'), null, 'bypass')).not.toThrow();
  });
});

describe('a token that is made', () => {
  it('may do no more than the one that makes it', () => {
    const grant = (actor: Actor, role: Actor['role'], tenantId: string | null) => () =>
      requireGrant(actor, { role, tenantId });
    expect(grant(platform('owner'), 'owner', null)).not.toThrow();
    expect(grant(platform('operator'), 'owner', null)).toThrow(Forbidden);
    expect(grant(ofTenant('owner'), 'owner', 'a')).not.toThrow();
    expect(grant(ofTenant('owner'), 'viewer', null)).toThrow(Forbidden);
    expect(grant(ofTenant('owner'), 'viewer', 'b')).toThrow(NotFound);
    expect(grant(ofTenant('operator'), 'owner', 'a')).toThrow(Forbidden);
  });
});
