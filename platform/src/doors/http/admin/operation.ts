import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../../control/actor.ts';
import type { Changed } from '../../../control/change.ts';

/** What one route does, apart from who may use it and how it is reached. */
export type Operation = {
  readonly summary: string;
  readonly description?: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Whether another object can be in the way. */
  readonly conflicts?: true;
  /** Whether it names no other object, so that none can be missing. */
  readonly namesNone?: true;
  /** Of the body when all is well. */
  readonly answer: TSchema;
  run(call: Call<unknown, unknown>): Promise<object>;
};

export type Call<Query, Body> = {
  readonly actor: Actor;
  readonly id: string;
  readonly query: Query;
  /** Without the version, which stands below wherever it came from. */
  readonly body: Body;
  /** Of the object as the caller knows it. */
  readonly version: number | null;
};

type Typed<Query extends TSchema, Body extends TSchema> = Omit<
  Operation,
  'query' | 'body' | 'run'
> & {
  readonly query?: Query;
  readonly body?: Body;
  run(call: Call<Static<Query>, Static<Body>>): Promise<object>;
};

/** Validated by the schemas before it runs: here the types of the two meet. */
export function operation<Query extends TSchema, Body extends TSchema>(
  typed: Typed<Query, Body>,
): Operation {
  return typed;
}

export function changedAnswer<T extends object>({ value, published, publication }: Changed<T>) {
  return { ...value, published, ...(publication && { publication }) };
}

export function deletedAnswer({ published, publication }: Changed<unknown>) {
  return { deleted: true, published, ...(publication && { publication }) };
}
