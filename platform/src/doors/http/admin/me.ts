import { type Static, Type } from 'typebox';
import { roles } from '../../../control/actor.ts';
import type { Tokens } from '../../../control/tokens/tokens.ts';
import { ref } from '../openapi.ts';
import { idField, instant, nullable, oneOf } from './fields.ts';
import { operation } from './operation.ts';

const me = Type.Object(
  {
    id: Type.String({ description: 'Of the token, or `bootstrap` for that of the configuration.' }),
    name: Type.String(),
    role: oneOf(roles),
    tenant_id: nullable(idField),
    expires_at: nullable(instant),
  },
  { $id: 'Me' },
);

export const meSchemas = [me] as const;

export function meOperations(tokens: Tokens) {
  return {
    self: operation({
      summary: 'Whose token this is',
      description: 'What the token may do, and for which tenant; null is the whole platform.',
      namesNone: true,
      answer: ref<Static<typeof me>>('Me'),
      run: async ({ actor }) => {
        const { id, role, tenantId } = actor;
        const { name, expires_at } = await tokens.describe(actor);
        return { id, name, role, tenant_id: tenantId, expires_at };
      },
    }),
  };
}
