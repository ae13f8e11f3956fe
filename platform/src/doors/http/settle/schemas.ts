import { Type, type Static } from 'typebox';
import { Cost, Costs, UnixSeconds } from '../check/schemas.ts';

/** What is said after a check. The same schemas validate and describe. */

const idLengthMax = 128;
const ticketLengthMax = 4096;
const day = 86_400_000;

const ReservationId = Type.String({
  minLength: 1,
  maxLength: idLengthMax,
  description: '`reservation.id` of the decision.',
});
const Ticket = Type.String({
  minLength: 1,
  maxLength: ticketLengthMax,
  description: '`ticket` of the decision.',
});

export const Settle = Type.Object(
  {
    reservation_id: ReservationId,
    cost: Type.Optional(
      Type.Integer({
        ...Cost,
        description: 'What it really cost, more or less than reserved. 0 gives all of it back.',
      }),
    ),
    costs: Type.Optional(Costs('In other units. One that is not named costs what was reserved.')),
  },
  { $id: 'Settle', additionalProperties: false },
);
export type Settle = Static<typeof Settle>;

export const Settled = Type.Object(
  {
    settled: Type.Boolean({ description: 'False when it was settled before: nothing was done.' }),
    late: Type.Boolean({ description: 'It came after the reservation ran out, and was charged.' }),
    cost: Type.Integer({ description: 'What it was settled at.' }),
    costs: Type.Record(Type.String(), Type.Integer()),
    debt: Type.Integer({
      description: 'By how much more is used now than there is; it is made up for over time.',
    }),
  },
  { $id: 'Settled' },
);
export type Settled = Static<typeof Settled>;

export const Release = Type.Object(
  { ticket: Ticket },
  { $id: 'Release', additionalProperties: false },
);
export type Release = Static<typeof Release>;

export const Released = Type.Object(
  {
    released: Type.Boolean({ description: 'False when it was released before, or had run out.' }),
  },
  { $id: 'Released' },
);
export type Released = Static<typeof Released>;

export const Heartbeat = Type.Object(
  {
    ticket: Type.Optional(Ticket),
    reservation_id: Type.Optional(ReservationId),
    ttl_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: day,
        description:
          'From now on. Default: as reserved; for a ticket `stale_after_seconds` of its limit, which is also the most.',
      }),
    ),
  },
  { $id: 'Heartbeat', additionalProperties: false },
);
export type Heartbeat = Static<typeof Heartbeat>;

export const Renewed = Type.Object(
  {
    renewed: Type.Boolean({
      description: 'False when it had run out, or was settled or released.',
    }),
    expires_at: Type.Union([UnixSeconds, Type.Null()]),
  },
  { $id: 'Renewed' },
);
export type Renewed = Static<typeof Renewed>;

export const Refund = Type.Object(
  {
    decision_id: Type.String({ minLength: 1, maxLength: idLengthMax }),
    cost: Type.Optional(
      Type.Integer({
        ...Cost,
        minimum: 1,
        description: 'How much to give back. With neither `cost` nor `costs`: all of it.',
      }),
    ),
    costs: Type.Optional(Costs('In other units.')),
  },
  { $id: 'Refund', additionalProperties: false },
);
export type Refund = Static<typeof Refund>;

export const Refunded = Type.Object(
  {
    refunded: Type.Boolean({
      description:
        'False when nothing was given back: it was refunded before, which is once for all, or charged nothing in these units.',
    }),
    cost: Type.Integer({ description: 'What was given back: never more than was charged.' }),
    costs: Type.Record(Type.String(), Type.Integer()),
  },
  { $id: 'Refunded' },
);
export type Refunded = Static<typeof Refunded>;
