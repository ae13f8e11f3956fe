import { type Static, Type } from 'typebox';
import { roles } from '../../../control/actor.ts';
import { keyStatuses } from '../../../control/api-keys/api-key.ts';
import type { Token } from '../../../control/tokens/token.ts';
import type { Tokens } from '../../../control/tokens/tokens.ts';
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

const role = oneOf(roles, {
  description: 'A viewer reads; an operator changes what limits are made of; an owner tokens too.',
});
const stored = {
  id: idField,
  name: nameField,
  role,
  tenant_id: nullable(idField),
  status: oneOf(keyStatuses),
  expires_at: nullable(instant),
  revoked_at: nullable(instant),
  last_used_at: nullable(instant),
  ...storedFields,
};
const secret = { token: Type.String({ description: 'Shown now and never again.' }) };

const token = Type.Object(stored, { $id: 'Token' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedToken' });
const made = Type.Object({ ...stored, ...secret, ...publishedFields }, { $id: 'NewToken' });

const filters = query({
  tenant_id: Type.Optional(idField),
  role: Type.Optional(oneOf(roles)),
});
const create = body({
  name: nameField,
  role,
  tenant_id: Type.Optional(nullable(idField)),
  expires_at: Type.Optional(expiresAt),
});
const update = body({
  name: Type.Optional(nameField),
  expires_at: Type.Optional(expiresAt),
  version: expectedVersion,
});

export const tokenSchemas = [token, changed, made] as const;

export function tokenOperations(tokens: Tokens) {
  return {
    list: operation({
      summary: 'List tokens',
      query: filters,
      answer: pageOf(ref<Token>('Token')),
      run: ({ actor, query }) => tokens.list(actor, query),
    }),
    get: operation({
      summary: 'Read a token',
      answer: ref<Token>('Token'),
      run: ({ actor, id }) => tokens.get(actor, id),
    }),
    create: operation({
      summary: 'Make a token',
      conflicts: true,
      description: 'With `tenant_id` it reaches that tenant only.',
      body: create,
      answer: ref<Static<typeof made>>('NewToken'),
      run: async ({ actor, body }) => changedAnswer(await tokens.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a token',
      conflicts: true,
      body: update,
      answer: ref<Static<typeof changed>>('ChangedToken'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await tokens.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Revoke a token',
      description: 'For good. It stays listed, with `revoked_at`. Repeating it changes nothing.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await tokens.revoke(actor, id, version)),
    }),
  };
}
