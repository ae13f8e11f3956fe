import { type Static, type TSchema, Type } from 'typebox';
import { lifetimeSecondsMax } from '../../../control/lifetime.ts';
import { pageSizeDefault, pageSizeMax } from '../../../control/page.ts';

/** Parts that the schemas of all nouns are made of. */

/** Neither control characters nor halves of characters, which no database keeps as they are. */
const printable = '^[^\\p{Cc}\\p{Cs}]*$';

export function text(lengthMax: number, options: { readonly description?: string } = {}) {
  return Type.String({ ...options, maxLength: lengthMax, pattern: printable });
}

export const nameField = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
  description: 'For people.',
});

/** A word that travels as a label: tiers and pools. */
export function label(description: string) {
  return Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$', description });
}

export function oneOf<const T extends readonly string[]>(
  values: T,
  options: { readonly description?: string; readonly default?: string } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** The same, or null. One list of types rather than alternatives: errors then say what is wrong. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as T & { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

export const instant = Type.String({ format: 'date-time' });
export const idField = Type.String({ maxLength: 128 });

export const expiresAt = nullable(
  Type.String({ format: 'date-time', description: 'In the future; null is never.' }),
);

/** When something ends, in one of two ways. */
export const endFields = {
  expires_at: Type.Optional(expiresAt),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: lifetimeSecondsMax,
      description: 'Instead of `expires_at`: how long it lasts from its start.',
    }),
  ),
};

export const reasonField = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
  description: 'Why, for whoever finds it later.',
});

/** Whom a check names. */
export const subjectField = Type.String({ minLength: 1, maxLength: 1024, pattern: printable });

/** What every stored object carries. */
export const storedFields = {
  version: Type.Integer({ description: 'Rises with every change. Also the ETag.' }),
  created_at: instant,
  updated_at: instant,
};

export const expectedVersion = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description: 'Of the object as you know it: 409 when it was changed since. Or as If-Match.',
  }),
);

/** What the answer to every change carries. */
export const publishedFields = {
  published: Type.Boolean({
    description:
      'Whether every node acts on it from its next check on. False while the store cannot be told, or while what is shared is being published.',
  }),
  publication: Type.Optional(
    Type.Object(
      { epoch: Type.Integer(), total: nullable(Type.Integer()), done: Type.Integer() },
      { description: 'Of what is shared: watch it at /v1/admin/publications/<epoch>.' },
    ),
  ),
};

export const pageFields = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault }),
  ),
  cursor: Type.Optional(text(256, { description: '`next_cursor` of the page before.' })),
};

export function query<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object({ ...pageFields, ...fields }, { additionalProperties: false });
}

export function body<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
  });
}
