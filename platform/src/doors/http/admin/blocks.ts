import { type Static, Type } from 'typebox';
import { type Block, blockActions, blockStatuses } from '../../../control/blocks/block.ts';
import type { Blocks } from '../../../control/blocks/blocks.ts';
import { ref } from '../openapi.ts';
import {
  body,
  endFields,
  expectedVersion,
  idField,
  instant,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  reasonField,
  storedFields,
  subjectField,
  text,
} from './fields.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const action = oneOf(blockActions, {
  description: '`block` refuses every check; `bypass` lets it through whatever the limits say.',
});

const who = {
  subject: nullable(subjectField),
  ip: nullable(
    Type.String({ maxLength: 64, description: 'An address or a range, IPv4 or IPv6, as CIDR.' }),
  ),
  attribute: nullable(
    Type.Object(
      { name: Type.String({ maxLength: 64 }), value: subjectField },
      { additionalProperties: false, description: 'A value that the check has.' },
    ),
  ),
  key_id: nullable(Type.String({ maxLength: 128, description: 'The id of a key.' })),
};

const stored = {
  id: idField,
  tenant_id: nullable(idField),
  ...who,
  action,
  expires_at: nullable(instant),
  status: oneOf(blockStatuses),
  reason: reasonField,
  author: Type.String({ description: 'Who made it: the id of a token, or `bootstrap`.' }),
  ...storedFields,
};
const block = Type.Object(stored, { $id: 'Block' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedBlock' });

const create = body({
  tenant_id: Type.Optional(nullable(idField)),
  ...Type.Partial(Type.Object(who)).properties,
  action: Type.Optional(action),
  reason: reasonField,
  ...endFields,
});
const update = body({
  action: Type.Optional(action),
  reason: Type.Optional(reasonField),
  ...endFields,
  version: expectedVersion,
});

const filters = query({
  tenant_id: Type.Optional(text(64, { description: "A tenant's id, or `shared`." })),
  action: Type.Optional(oneOf(blockActions)),
  subject: Type.Optional(text(1024)),
  status: Type.Optional(oneOf(blockStatuses)),
});

export const blockSchemas = [block, changed] as const;

export function blockOperations(blocks: Blocks) {
  return {
    list: operation({
      summary: 'List blocks',
      query: filters,
      answer: pageOf(ref<Block>('Block')),
      run: ({ actor, query }) => blocks.list(actor, query),
    }),
    get: operation({
      summary: 'Read a block',
      answer: ref<Block>('Block'),
      run: ({ actor, id }) => blocks.get(actor, id),
    }),
    create: operation({
      summary: 'Make a block',
      conflicts: true,
      description:
        "By one of `subject`, `ip`, `attribute` and `key_id`. Without `tenant_id` it is for every tenant. A tenant's own token blocks within its tenant, and makes no bypass.",
      body: create,
      answer: ref<Static<typeof changed>>('ChangedBlock'),
      run: async ({ actor, body }) => changedAnswer(await blocks.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a block',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedBlock'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await blocks.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete a block',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await blocks.remove(actor, id, version)),
    }),
  };
}
