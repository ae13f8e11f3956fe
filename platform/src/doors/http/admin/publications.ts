import { Type } from 'typebox';
import type { Publication, Publications } from '../../../control/publications/publications.ts';
import { ref } from '../openapi.ts';
import { idField, instant, nullable, pageOf, query } from './fields.ts';
import { operation } from './operation.ts';

const publication = Type.Object(
  {
    id: idField,
    epoch: Type.Integer(),
    cause: Type.String({ description: 'The change that is published.' }),
    total: nullable(Type.Integer({ description: 'How many tenants there are to tell.' })),
    done: Type.Integer({ description: 'How many have been told.' }),
    started_at: instant,
    finished_at: nullable(instant),
  },
  { $id: 'Publication' },
);

export const publicationSchemas = [publication] as const;

export function publicationOperations(publications: Publications) {
  return {
    list: operation({
      summary: 'List publications',
      description: 'How far changes of what is shared have come. The newest first.',
      query: query({}),
      answer: pageOf(ref<Publication>('Publication')),
      run: ({ actor, query }) => publications.list(actor, query),
    }),
    get: operation({
      summary: 'Read a publication',
      answer: ref<Publication>('Publication'),
      run: ({ actor, id }) => publications.get(actor, id),
    }),
  };
}
