import { type Static, Type } from 'typebox';
import {
  connectionsDefault,
  connectionsMax,
  inFlightMax,
  type Pool,
  redisUrlLengthMax,
  tiersMax,
} from '../../../control/pools/pool.ts';
import type { Pools } from '../../../control/pools/pools.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  idField,
  label,
  nullable,
  pageOf,
  publishedFields,
  query,
  storedFields,
  text,
} from './fields.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const name = label('What tenants name in `pool`. It can not be changed.');
const numbers = {
  connections: Type.Integer({
    minimum: 1,
    maximum: connectionsMax,
    description: 'That a node opens to the Redis of this pool, at the most: as load needs them.',
  }),
  max_in_flight: Type.Integer({
    minimum: 1,
    maximum: inFlightMax,
    description:
      'Calls of one tenant that a node has under way at once, at the most; as many as `connections` unless said otherwise.',
  }),
};
const tiers = Type.Array(label('A tier.'), {
  maxItems: tiersMax,
  uniqueItems: true,
  description: 'Whose tenants are in this pool unless they name another.',
});
const redisUrl = nullable(
  Type.String({
    maxLength: redisUrlLengthMax,
    description:
      'A Redis for this pool alone, as in SLUICE_REDIS_URL; null is the one that all share. Shown without its password.',
  }),
);

const stored = { id: idField, name, redis_url: redisUrl, ...numbers, tiers, ...storedFields };
const pool = Type.Object(stored, { $id: 'Pool' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedPool' });

const optional = {
  redis_url: Type.Optional(redisUrl),
  connections: Type.Optional(numbers.connections),
  max_in_flight: Type.Optional(nullable(numbers.max_in_flight)),
  tiers: Type.Optional(tiers),
};
const create = body({ name, ...optional });
const update = body({ ...optional, version: expectedVersion });
const filters = query({ name: Type.Optional(text(64)) });

export const poolSchemas = [pool, changed] as const;

export function poolOperations(pools: Pools) {
  return {
    list: operation({
      summary: 'List pools',
      query: filters,
      answer: pageOf(ref<Pool>('Pool')),
      run: ({ actor, query }) => pools.list(actor, query),
    }),
    get: operation({
      summary: 'Read a pool',
      answer: ref<Pool>('Pool'),
      run: ({ actor, id }) => pools.get(actor, id),
    }),
    create: operation({
      summary: 'Make a pool',
      conflicts: true,
      namesNone: true,
      description: `Without \`connections\` it has ${connectionsDefault}. With \`redis_url\` its tenants are counted there: those of its tiers move at once, and bring along what they used of quotas. A Redis that would lose or refuse counters is refused; one that can not be reached is not.`,
      body: create,
      answer: ref<Static<typeof changed>>('ChangedPool'),
      run: async ({ actor, body }) => changedAnswer(await pools.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a pool',
      conflicts: true,
      description:
        'Where `redis_url` leads to changes only while nobody is counted there; who logs in there, and how, at any time. It is looked at as for a new pool. Nodes act on it within seconds.',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedPool'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await pools.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete a pool',
      conflicts: true,
      description: 'Once no tenant is in it, and usage of those that were is collected.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await pools.remove(actor, id, version)),
    }),
  };
}
