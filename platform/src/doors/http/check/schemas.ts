import { Type, type Static } from 'typebox';

/** What `/v1/check` takes and says. The same schemas validate and describe. */

const name = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';
const costMax = 2 ** 50;
const day = 86_400_000;

export const Cost = { minimum: 0, maximum: costMax };

export const Costs = (description: string) =>
  Type.Record(Type.String({ pattern: name }), Type.Integer(Cost), {
    maxProperties: 64,
    description,
    examples: [{ elements: 50 }],
  });

export const Check = Type.Object(
  {
    resource: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'What is called: any text; HTTP resources are `METHOD:/path`.',
      examples: ['POST:/search'],
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Who is counted: a user id, a key hash, an address.',
      examples: ['user:42'],
    }),
    cost: Type.Optional(
      Type.Integer({
        ...Cost,
        description:
          'How much this call takes. Default: what the policy says, else 1. 0 only looks.',
      }),
    ),
    costs: Type.Optional(Costs('What it takes in other units.')),
    attributes: Type.Optional(
      Type.Record(Type.String({ pattern: name }), Type.String({ minLength: 1, maxLength: 1024 }), {
        maxProperties: 64,
        description: 'What else limits may count by. An IPv6 address counts by its /64.',
        examples: [{ team: 'eng', ip: '203.0.113.9' }],
      }),
    ),
    plan_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: "Replaces the tenant's plan for this check; the key needs `plan:select`.",
      }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{8,128}$',
        description: 'A repeated check under the same key is charged once. Also as a header.',
      }),
    ),
    reserve: Type.Optional(
      Type.Object(
        {
          ttl_ms: Type.Integer({ minimum: 1, maximum: day }),
          on_expiry: Type.Optional(Type.Union([Type.Literal('refund'), Type.Literal('keep')])),
        },
        { additionalProperties: false, description: 'Hold the cost until it is settled.' },
      ),
    ),
  },
  { $id: 'Check', additionalProperties: false },
);
export type Check = Static<typeof Check>;

export const checksMax = 1000;

/** The items are looked at one by one: a bad one is a problem in its place. */
export const Checks = Type.Object(
  { checks: Type.Array(Type.Unknown(), { minItems: 1, maxItems: checksMax }) },
  { $id: 'Checks', additionalProperties: false },
);
export type Checks = Static<typeof Checks>;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const Mode = Type.Union(['enforce', 'warn', 'shadow'].map((mode) => Type.Literal(mode)));
export const UnixSeconds = Type.Integer({ description: 'Unix seconds.' });

const LimitDecision = Type.Object(
  {
    name: Type.String(),
    algorithm: Type.String(),
    unit: Type.String(),
    cost: Type.Integer(),
    limit: Type.Integer(),
    base_limit: Type.Integer(),
    used: Type.Integer(),
    remaining: Type.Integer(),
    override_id: Nullable(Type.String()),
    reset_at: UnixSeconds,
    retry_after_ms: Nullable(Type.Number()),
    allowed: Type.Boolean(),
    mode: Mode,
  },
  { $id: 'LimitDecision' },
);

export const Decision = Type.Object(
  {
    allowed: Type.Boolean(),
    limit: Nullable(Type.Integer()),
    remaining: Nullable(Type.Integer()),
    reset_at: Nullable(UnixSeconds),
    retry_after_ms: Nullable(
      Type.Number({ description: 'Waiting this long succeeds if nobody else comes. Null: never.' }),
    ),
    message: Type.String(),
    decision_id: Type.String(),
    basis: Type.Union(
      ['exact', 'leased', 'local', 'fail_open', 'fail_closed'].map((basis) => Type.Literal(basis)),
    ),
    degraded_reason: Nullable(Type.String()),
    mode: Nullable(Mode),
    delay_ms: Type.Number(),
    replayed: Type.Boolean(),
    cost: Type.Integer(),
    costs: Type.Record(Type.String(), Type.Integer()),
    blocked_by: Nullable(
      Type.Object({
        limit: Nullable(
          Type.String({ description: 'Null when no limit refused: the caller is shut out.' }),
        ),
        per: Type.Array(Type.String()),
        level: Type.String(),
        entity: Nullable(Type.String()),
        reason: Type.String(),
      }),
    ),
    would_block: Type.Array(Type.String()),
    adaptive: Type.Object({ factor: Type.Number(), reason: Nullable(Type.String()) }),
    ticket: Nullable(Type.String()),
    reservation: Nullable(Type.Object({ id: Type.String(), expires_at: UnixSeconds })),
    limits: Type.Array(LimitDecision),
  },
  { $id: 'Decision' },
);
