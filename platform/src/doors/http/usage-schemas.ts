import { Type } from 'typebox';
import { pointsDefault, pointsMax } from '../../control/usage/span.ts';
import { keptDays } from '../../control/usage/retention.ts';
import { steps } from '../../control/usage/usage-lines.ts';
import { nullable, oneOf } from './admin/fields.ts';

/** What answers about usage have in common. */

export const spanFields = {
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `At or after, from the beginning of its step. ${pointsDefault} steps back unless said; minutes are kept ${keptDays.minute} days, hours ${keptDays.hour}.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Before, to the end of its step. Now unless said.',
    }),
  ),
  step: Type.Optional(
    oneOf(steps, {
      description: `In UTC; at most ${pointsMax} of them at once.`,
      default: 'minute',
    }),
  ),
};

const count = Type.Integer({ minimum: 0 });

const counts = {
  allowed: Type.Integer({ minimum: 0, description: 'Let in. Of a limit: calls it applied to.' }),
  warned: Type.Integer({
    minimum: 0,
    description: 'Let in, though a limit in warn or shadow would have refused. Of calls only.',
  }),
  blocked: Type.Integer({ minimum: 0, description: 'Refused. Of a limit: by this one.' }),
  degraded: Type.Integer({
    minimum: 0,
    description: 'Let in without asking any limit, for the store did not answer. Of calls only.',
  }),
  would_block: Type.Integer({
    minimum: 0,
    description: 'What a limit in warn or shadow would have refused. Of limits only.',
  }),
};

export const totals = Type.Object(counts);
export const points = Type.Array(
  Type.Object({ at: Type.String({ format: 'date-time' }), ...counts }),
  { description: 'Every step of the span, the first first.' },
);
export const limitCounts = Type.Array(
  Type.Object({ name: Type.String(), allowed: count, blocked: count, would_block: count }),
  { description: 'What each limit made of it, those that refused most first.' },
);

export const spanAnswer = {
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  step: oneOf(steps),
  complete_until: nullable(
    Type.String({
      format: 'date-time',
      description:
        'Counts before this are all there, unless a node is away; null where that is not known, as while the store cannot be asked.',
    }),
  ),
};

export const summaryField = Type.String({ description: 'The same in words, for people.' });
