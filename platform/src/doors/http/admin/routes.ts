import type { Role } from '../../../control/actor.ts';

export const nouns = [
  'tenants',
  'plans',
  'policies',
  'overrides',
  'blocks',
  'modes',
  'keys',
  'tokens',
  'audit',
  'publications',
  'quotas',
  'webhooks',
  'counters',
  'usage',
  'decisions',
  'rollout',
  'pools',
  'me',
] as const;
export type Noun = (typeof nouns)[number];

const requests = {
  list: ['GET', ''],
  series: ['GET', ''],
  get: ['GET', '/:id'],
  create: ['POST', ''],
  update: ['PATCH', '/:id'],
  remove: ['DELETE', '/:id'],
  rotate: ['POST', '/:id/rotate'],
  put: ['PUT', '/:id'],
  topUp: ['POST', '/:id/top-up'],
  deliveries: ['GET', '/:id/deliveries'],
  explain: ['POST', '/explain'],
  inspect: ['POST', '/inspect'],
  reset: ['POST', '/reset'],
  unblock: ['POST', '/unblock'],
  erase: ['POST', '/erase'],
  set: ['PUT', ''],
  clear: ['DELETE', ''],
  templates: ['GET', '/templates'],
  promote: ['POST', '/promote'],
  stepBack: ['POST', '/step-back'],
  self: ['GET', ''],
} as const;
export type Verb = keyof typeof requests;

/** Where no object is named there is none to miss. */
export const ofMany: readonly Verb[] = ['list', 'clear', 'templates'];
/** What they are about has no version, or none yet. */
export const unversioned: readonly Verb[] = [
  ...ofMany,
  'create',
  'explain',
  'inspect',
  'reset',
  'unblock',
  'erase',
  'promote',
  'stepBack',
];

export type AdminRoute = {
  readonly noun: Noun;
  readonly verb: Verb;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The role it takes at least. */
  readonly least: Role;
  /** Whether a token of a tenant may use it, for what is its tenant's. */
  readonly tenants: boolean;
};

/** Every route with who may use it: what is registered, and what is tested. */
export const routes: readonly AdminRoute[] = [
  route('tenants', 'list', 'viewer', { tenants: true }),
  route('tenants', 'get', 'viewer', { tenants: true }),
  route('tenants', 'create', 'operator', { tenants: false }),
  route('tenants', 'update', 'operator', { tenants: true }),
  route('tenants', 'remove', 'operator', { tenants: false }),

  route('plans', 'list', 'viewer', { tenants: true }),
  route('plans', 'get', 'viewer', { tenants: true }),
  route('plans', 'create', 'operator', { tenants: false }),
  route('plans', 'update', 'operator', { tenants: false }),
  route('plans', 'remove', 'operator', { tenants: false }),
  route('plans', 'templates', 'viewer', { tenants: false }),

  route('policies', 'list', 'viewer', { tenants: true }),
  route('policies', 'get', 'viewer', { tenants: true }),
  route('policies', 'create', 'operator', { tenants: false }),
  route('policies', 'update', 'operator', { tenants: false }),
  route('policies', 'remove', 'operator', { tenants: false }),
  route('policies', 'explain', 'viewer', { tenants: true }),
  route('policies', 'templates', 'viewer', { tenants: false }),

  route('overrides', 'list', 'viewer', { tenants: true }),
  route('overrides', 'get', 'viewer', { tenants: true }),
  route('overrides', 'create', 'operator', { tenants: false }),
  route('overrides', 'update', 'operator', { tenants: false }),
  route('overrides', 'remove', 'operator', { tenants: false }),
  route('overrides', 'clear', 'operator', { tenants: false }),

  route('blocks', 'list', 'viewer', { tenants: true }),
  route('blocks', 'get', 'viewer', { tenants: true }),
  route('blocks', 'create', 'operator', { tenants: true }),
  route('blocks', 'update', 'operator', { tenants: true }),
  route('blocks', 'remove', 'operator', { tenants: true }),

  route('modes', 'list', 'viewer', { tenants: true }),
  route('modes', 'get', 'viewer', { tenants: true }),
  route('modes', 'set', 'operator', { tenants: false }),
  route('modes', 'remove', 'operator', { tenants: false }),

  route('keys', 'list', 'viewer', { tenants: true }),
  route('keys', 'get', 'viewer', { tenants: true }),
  route('keys', 'create', 'operator', { tenants: true }),
  route('keys', 'update', 'operator', { tenants: true }),
  route('keys', 'remove', 'operator', { tenants: true }),
  route('keys', 'rotate', 'operator', { tenants: true }),

  route('tokens', 'list', 'owner', { tenants: true }),
  route('tokens', 'get', 'owner', { tenants: true }),
  route('tokens', 'create', 'owner', { tenants: true }),
  route('tokens', 'update', 'owner', { tenants: true }),
  route('tokens', 'remove', 'owner', { tenants: true }),

  route('counters', 'inspect', 'viewer', { tenants: true }),
  route('counters', 'reset', 'operator', { tenants: false }),
  route('counters', 'unblock', 'operator', { tenants: false }),

  route('usage', 'series', 'viewer', { tenants: true }),

  route('audit', 'list', 'viewer', { tenants: true }),
  route('audit', 'get', 'viewer', { tenants: true }),

  route('publications', 'list', 'viewer', { tenants: false }),
  route('publications', 'get', 'viewer', { tenants: false }),

  route('quotas', 'list', 'viewer', { tenants: true }),
  route('quotas', 'get', 'viewer', { tenants: true }),
  route('quotas', 'put', 'operator', { tenants: true }),
  route('quotas', 'update', 'operator', { tenants: true }),
  route('quotas', 'remove', 'operator', { tenants: false }),
  route('quotas', 'topUp', 'operator', { tenants: false }),

  route('rollout', 'list', 'viewer', { tenants: true }),
  route('rollout', 'promote', 'operator', { tenants: false }),
  route('rollout', 'stepBack', 'operator', { tenants: false }),

  route('webhooks', 'list', 'viewer', { tenants: true }),
  route('webhooks', 'get', 'viewer', { tenants: true }),
  route('webhooks', 'create', 'operator', { tenants: true }),
  route('webhooks', 'update', 'operator', { tenants: true }),
  route('webhooks', 'remove', 'operator', { tenants: true }),
  route('webhooks', 'rotate', 'operator', { tenants: true }),
  route('webhooks', 'deliveries', 'viewer', { tenants: true }),

  route('decisions', 'list', 'viewer', { tenants: true }),
  route('decisions', 'get', 'viewer', { tenants: true }),
  route('decisions', 'erase', 'operator', { tenants: true }),

  route('pools', 'list', 'viewer', { tenants: false }),
  route('pools', 'get', 'viewer', { tenants: false }),
  route('pools', 'create', 'operator', { tenants: false }),
  route('pools', 'update', 'operator', { tenants: false }),
  route('pools', 'remove', 'operator', { tenants: false }),

  route('me', 'self', 'viewer', { tenants: true }),
];

function route(
  noun: Noun,
  verb: Verb,
  least: Role,
  { tenants }: { readonly tenants: boolean },
): AdminRoute {
  const [method, suffix] = requests[verb];
  return { noun, verb, method, path: `/v1/admin/${noun}${suffix}`, least, tenants };
}
