import { Type } from 'typebox';
import {
  type Audit,
  auditActions,
  type AuditEntry,
  auditNouns,
} from '../../../control/audit/audit.ts';
import { ref } from '../openapi.ts';
import { idField, instant, nullable, oneOf, pageOf, query, text } from './fields.ts';
import { operation } from './operation.ts';

const entry = Type.Object(
  {
    id: idField,
    at: instant,
    actor: Type.String({ description: 'The id of the token, `bootstrap`, or `system`.' }),
    action: oneOf(auditActions),
    noun: Type.String(),
    object_id: Type.String(),
    tenant_id: nullable(idField),
    request_id: nullable(Type.String()),
    before: Type.Unknown({ description: 'The object before the change, without secrets.' }),
    after: Type.Unknown({ description: 'The object after the change, without secrets.' }),
  },
  { $id: 'AuditEntry' },
);

const filters = query({
  tenant_id: Type.Optional(idField),
  noun: Type.Optional(oneOf(auditNouns)),
  object_id: Type.Optional(text(128)),
  actor: Type.Optional(text(128)),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'At or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Before.' })),
});

export const auditSchemas = [entry] as const;

export function auditOperations(audit: Audit) {
  return {
    list: operation({
      summary: 'List changes',
      description: 'The newest first.',
      query: filters,
      answer: pageOf(ref<AuditEntry>('AuditEntry')),
      run: ({ actor, query }) => audit.list(actor, query),
    }),
    get: operation({
      summary: 'Read a change',
      answer: ref<AuditEntry>('AuditEntry'),
      run: ({ actor, id }) => audit.get(actor, id),
    }),
  };
}
