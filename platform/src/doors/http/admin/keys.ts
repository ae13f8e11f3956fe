import { type Static, Type } from 'typebox';
import {
  type ApiKey,
  keyScopes,
  keyScopesDefault,
  keyStatuses,
} from '../../../control/api-keys/api-key.ts';
import {
  type ApiKeys,
  overlapSecondsDefault,
  overlapSecondsMax,
} from '../../../control/api-keys/api-keys.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  expiresAt,
  idField,
  instant,
  nameField,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  storedFields,
} from './fields.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const scopes = Type.Array(oneOf(keyScopes), {
  uniqueItems: true,
  maxItems: keyScopes.length,
  description: `What a caller may do with it. Default: ${keyScopesDefault.join(', ')}.`,
});

const stored = {
  id: idField,
  tenant_id: idField,
  name: nameField,
  scopes,
  status: oneOf(keyStatuses),
  expires_at: nullable(instant),
  revoked_at: nullable(instant),
  last_used_at: nullable(instant),
  ...storedFields,
};
const secret = {
  key: Type.String({ description: 'The key itself: shown now and never again.' }),
  key_hash: Type.String({
    description: 'The salted SHA-256 of its secret, which is what we keep.',
  }),
};

const key = Type.Object(stored, { $id: 'Key' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedKey' });
const made = Type.Object({ ...stored, ...secret, ...publishedFields }, { $id: 'NewKey' });
const replaces = Type.Object(
  { id: idField, expires_at: instant },
  { description: 'The key it takes over from, which works until then.' },
);
const rotated = Type.Object(
  { ...stored, ...secret, replaces, ...publishedFields },
  { $id: 'RotatedKey' },
);

const filters = query({
  tenant_id: Type.Optional(idField),
  status: Type.Optional(oneOf(keyStatuses)),
});
const create = body({
  tenant_id: idField,
  name: nameField,
  scopes: Type.Optional(scopes),
  expires_at: Type.Optional(expiresAt),
});
const update = body({
  name: Type.Optional(nameField),
  scopes: Type.Optional(scopes),
  expires_at: Type.Optional(expiresAt),
  version: expectedVersion,
});
const rotate = nullable(
  body({
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        default: overlapSecondsDefault,
        description: 'How long the old key still works.',
      }),
    ),
    version: expectedVersion,
  }),
);

export const keySchemas = [key, changed, made, rotated] as const;

export function keyOperations(keys: ApiKeys) {
  return {
    list: operation({
      summary: 'List keys',
      query: filters,
      answer: pageOf(ref<ApiKey>('Key')),
      run: ({ actor, query }) => keys.list(actor, query),
    }),
    get: operation({
      summary: 'Read a key',
      answer: ref<ApiKey>('Key'),
      run: ({ actor, id }) => keys.get(actor, id),
    }),
    create: operation({
      summary: 'Make a key',
      conflicts: true,
      body: create,
      answer: ref<Static<typeof made>>('NewKey'),
      run: async ({ actor, body }) => changedAnswer(await keys.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a key',
      conflicts: true,
      body: update,
      answer: ref<Static<typeof changed>>('ChangedKey'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await keys.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Revoke a key',
      description: 'For good. It stays listed, with `revoked_at`. Repeating it changes nothing.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await keys.revoke(actor, id, version)),
    }),
    rotate: operation({
      summary: 'Rotate a key',
      conflicts: true,
      description: 'A new key with the same name, scopes and end; for a while both work.',
      body: rotate,
      answer: ref<Static<typeof rotated>>('RotatedKey'),
      run: async ({ actor, id, body, version: expectedVersion }) =>
        changedAnswer(
          await keys.rotate(actor, id, {
            overlapSeconds: body?.overlap_seconds ?? overlapSecondsDefault,
            expectedVersion,
          }),
        ),
    }),
  };
}
