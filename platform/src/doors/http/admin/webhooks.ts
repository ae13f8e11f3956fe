import { type Static, Type } from 'typebox';
import {
  type Delivery,
  deliveryStatuses,
  urlLengthMax,
  type Webhook,
  webhookEvents,
} from '../../../control/webhooks/webhook.ts';
import type { Webhooks } from '../../../control/webhooks/webhooks.ts';
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
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const fields = {
  url: Type.String({
    maxLength: urlLengthMax,
    description: 'Where events are posted: https, at a public address.',
  }),
  events: Type.Array(oneOf(webhookEvents), {
    minItems: 1,
    maxItems: webhookEvents.length,
    uniqueItems: true,
  }),
};
const stored = { id: idField, tenant_id: nullable(idField), ...fields, ...storedFields };
const secret = {
  secret: Type.String({
    description: 'What is sent is signed with it (Standard Webhooks). Shown now and never again.',
  }),
};

const webhook = Type.Object(stored, { $id: 'Webhook' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedWebhook' });
const made = Type.Object({ ...stored, ...secret, ...publishedFields }, { $id: 'NewWebhook' });
const delivery = Type.Object(
  {
    id: Type.String({ description: 'Sent as `webhook-id`, the same on every attempt.' }),
    event: Type.String(),
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer(),
    next_at: nullable(instant),
    delivered_at: nullable(instant),
    failed_at: nullable(instant),
    last_problem: nullable(Type.String()),
    created_at: instant,
  },
  { $id: 'Delivery' },
);

const filters = query({
  tenant_id: Type.Optional(text(64, { description: "A tenant's id, or `shared`." })),
});
const create = body({ ...fields, tenant_id: Type.Optional(nullable(idField)) });
const update = body({
  ...Type.Partial(Type.Object(fields)).properties,
  version: expectedVersion,
});
const rotate = nullable(body({ version: expectedVersion }));

export const webhookSchemas = [webhook, changed, made, delivery] as const;

export function webhookOperations(webhooks: Webhooks) {
  return {
    list: operation({
      summary: 'List webhooks',
      query: filters,
      answer: pageOf(ref<Webhook>('Webhook')),
      run: ({ actor, query }) => webhooks.list(actor, query),
    }),
    get: operation({
      summary: 'Read a webhook',
      answer: ref<Webhook>('Webhook'),
      run: ({ actor, id }) => webhooks.get(actor, id),
    }),
    create: operation({
      summary: 'Make a webhook',
      conflicts: true,
      description: 'Without `tenant_id` it hears of all tenants.',
      body: create,
      answer: ref<Static<typeof made>>('NewWebhook'),
      run: async ({ actor, body }) => changedAnswer(await webhooks.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a webhook',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedWebhook'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await webhooks.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete a webhook',
      description: 'With what waits to be delivered.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) =>
        deletedAnswer(await webhooks.remove(actor, id, version)),
    }),
    rotate: operation({
      summary: "Rotate a webhook's secret",
      description: 'The new one signs from the next attempt on; the old one signs nothing more.',
      body: rotate,
      answer: ref<Static<typeof made>>('NewWebhook'),
      run: async ({ actor, id, version }) =>
        changedAnswer(await webhooks.rotate(actor, id, version)),
    }),
    deliveries: operation({
      summary: "List a webhook's deliveries",
      description: 'The newest first; those that were over a month ago are gone.',
      query: query({}),
      answer: pageOf(ref<Delivery>('Delivery')),
      run: ({ actor, id, query }) => webhooks.deliveries(actor, id, query),
    }),
  };
}
