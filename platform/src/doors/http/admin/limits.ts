import { Type } from 'typebox';
import { nullable, oneOf } from './fields.ts';

export const modes = ['off', 'shadow', 'warn', 'enforce', 'monitor', 'on'] as const;

const count = (description: string) => Type.Optional(Type.Number({ description }));
const seconds = (description: string) => Type.Optional(Type.Number({ description }));

/**
 * For the reference, and for the types of what is sent: which fields go together is checked where
 * limits are parsed, which also names those that are not known.
 */
export const limitFields = {
  algorithm: oneOf(
    [
      'token_bucket',
      'fixed_window',
      'sliding_window',
      'sliding_window_log',
      'sliding_window_counter',
      'concurrency',
      'quota',
    ],
    { description: '`sliding_window` is another word for the log.' },
  ),
  bucket_capacity: count('token_bucket: how much it holds.'),
  refill_rate_per_sec: count('token_bucket: what flows in; at most six decimal places.'),
  limit: count('Windows and quotas: how much in one window or period.'),
  window_seconds: seconds('Windows: how long one is.'),
  align: Type.Optional(
    oneOf(['clock', 'first_request'], { description: 'fixed_window: when it starts.' }),
  ),
  max_concurrent: count('concurrency: how many calls may be open.'),
  stale_after_seconds: seconds('concurrency: when a call that went silent gives its slot back.'),
  period: Type.Optional(oneOf(['hour', 'day', 'week', 'month', 'year'], { description: 'quota.' })),
  anchor: Type.Optional(
    Type.Union([Type.Integer(), Type.String()], {
      description: 'quota: a day of the month, or a date that periods are counted from.',
    }),
  ),
  timezone: Type.Optional(Type.String({ description: 'quota: IANA name.' })),
  unit: Type.Optional(Type.String({ description: '`requests`, or a name in `costs`.' })),
  per: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 8,
      description:
        'What one counter is for: tenant, key, resource, subject, attributes.<name>; or global, in a policy for all tenants. Default: tenant, subject, resource.',
    }),
  ),
  on_missing: Type.Optional(
    oneOf(['shared', 'skip', 'reject'], { description: 'When an attribute in `per` is absent.' }),
  ),
  resources: Type.Optional(
    Type.Array(Type.String(), { maxItems: 64, description: 'Patterns it applies to.' }),
  ),
  when: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String(), { maxItems: 64 }), {
      description:
        'Attribute values it applies to, such as {"attributes.feature": ["beta"]}. Default: all.',
    }),
  ),
  share_of: Type.Optional(
    Type.Object(
      { limit: Type.String(), ratio: Type.Number() },
      {
        description:
          'In place of a size: a share of another limit of the same plan or policy, rounded down, at least 1.',
      },
    ),
  ),
  mode: Type.Optional(oneOf(modes, { description: 'Absent inherits.' })),
  on_store_failure: Type.Optional(
    Type.String({
      description:
        '`open` (default), `closed`, or `local`: each node its share. Not `local` for concurrency.',
    }),
  ),
  consistency: Type.Optional(Type.String({ description: '`exact`.' })),
  block_for_seconds: seconds('How long a refused subject is refused whatever its counter says.'),
  block_growth: Type.Optional(Type.Number({ description: 'How much longer on each repetition.' })),
  block_max_seconds: seconds('The longest it may become.'),
  backpressure: Type.Optional(
    Type.Object(
      {
        from: Type.Optional(Type.Number({ description: 'How full, 0 to 1; default 0.8.' })),
        max_delay_ms: Type.Optional(Type.Number({ description: 'Default 200.' })),
        curve: Type.Optional(oneOf(['quadratic', 'linear'])),
      },
      { description: 'Advises calls to wait a little before the limit is reached.' },
    ),
  ),
  security: Type.Optional(
    Type.Boolean({ description: 'Never delayed, and fails closed unless it says otherwise.' }),
  ),
  confirm: Type.Optional(
    Type.Boolean({ description: 'That a security limit is meant to be in another mode.' }),
  ),
};

export const limit = Type.Object(
  {
    name: Type.Optional(
      Type.String({ description: 'Unique in its plan or policy; default: the algorithm.' }),
    ),
    ...limitFields,
  },
  { $id: 'Limit', additionalProperties: true },
);

export const nullableMode = nullable(oneOf(modes, { description: 'Null inherits.' }));
