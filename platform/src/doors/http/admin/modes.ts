import { type Static, Type } from 'typebox';
import { type ModeEntry, modeScopes } from '../../../control/modes/mode.ts';
import type { Modes } from '../../../control/modes/modes.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  idField,
  instant,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  storedFields,
  text,
} from './fields.ts';
import { modes as modeWords } from './limits.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const scope = oneOf(modeScopes, { description: 'What it is for; the next fields say which one.' });
const target = {
  tenant_id: nullable(
    Type.String({ maxLength: 128, description: 'tenant; also resource and limit, of one tenant.' }),
  ),
  resource: nullable(Type.String({ maxLength: 512, description: 'resource: a pattern.' })),
  policy_id: nullable(
    Type.String({ maxLength: 128, description: 'policy; also limit, of one policy.' }),
  ),
  limit: nullable(Type.String({ maxLength: 64, description: 'limit: its name.' })),
};
const mode = oneOf(modeWords, { description: '`monitor` is `shadow`, `on` is `enforce`.' });
const confirm = Type.Boolean({ description: 'That it is meant for security limits too.' });

const stored = {
  id: idField,
  scope,
  ...target,
  mode: oneOf(['off', 'shadow', 'warn', 'enforce']),
  enforce_from: nullable(instant),
  confirm,
  ...storedFields,
};
const entry = Type.Object(stored, { $id: 'Mode' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedMode' });

const set = body({
  scope,
  ...Type.Partial(Type.Object(target)).properties,
  mode,
  enforce_from: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'With shadow or warn: when it becomes enforce by itself.',
      }),
    ),
  ),
  confirm: Type.Optional(confirm),
  version: expectedVersion,
});

const filters = query({
  scope: Type.Optional(oneOf(modeScopes)),
  tenant_id: Type.Optional(text(64, { description: "A tenant's id, or `shared`." })),
});

export const modeSchemas = [entry, changed] as const;

export function modeOperations(modes: Modes) {
  return {
    list: operation({
      summary: 'List modes',
      query: filters,
      answer: pageOf(ref<ModeEntry>('Mode')),
      run: ({ actor, query }) => modes.list(actor, query),
    }),
    get: operation({
      summary: 'Read a mode',
      answer: ref<ModeEntry>('Mode'),
      run: ({ actor, id }) => modes.get(actor, id),
    }),
    set: operation({
      summary: 'Set a mode',
      conflicts: true,
      description:
        'Makes the entry for this scope and what it names, or replaces it. An entry for a limit beats the limit’s own mode, that beats policy and resource, then tenant, then platform.',
      body: set,
      answer: ref<Static<typeof changed>>('ChangedMode'),
      run: async ({ actor, body, version }) => changedAnswer(await modes.set(actor, body, version)),
    }),
    remove: operation({
      summary: 'Delete a mode',
      description: 'What it was for has the mode again that it had without it.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await modes.remove(actor, id, version)),
    }),
  };
}
