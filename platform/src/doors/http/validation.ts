import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compile = (part: { readonly schema: unknown; readonly httpPart?: string }) => unknown;
type Build = (schemas: unknown, options: Readonly<Record<string, unknown>>) => Compile;
type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type CompilersFactory = NonNullable<SchemaController['compilersFactory']>;

/**
 * `verbose` gives what a good message needs and costs nothing until something is wrong. The first
 * thing that is wrong is enough: to list all of a hostile body would be work for nothing.
 */
const strict = {
  allErrors: false,
  allowUnionTypes: true,
  // Ours are valid, which a test checks: to find that out again costs seconds at every start.
  validateSchema: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  verbose: true,
} as const;

/** One for all plugins: it makes a compiler anew, which takes long, only for other schemas. */
const build = AjvCompiler() as unknown as Build;

/** A body says what it means; what stands in an address or a header is text and is converted. */
const buildValidator: Build = (schemas, options) => {
  const ofBody = build(schemas, { ...options, customOptions: strict });
  const ofText = build(schemas, { ...options, customOptions: { ...strict, coerceTypes: 'array' } });
  return (part) => (part.httpPart === 'body' ? ofBody(part) : ofText(part));
};

/**
 * What an answer looks like is documented by its schema, and held to it by tests. Compiling those
 * schemas would double the time that a start takes.
 */
const buildSerializer = () => () => JSON.stringify;

export const schemaController: SchemaController = {
  compilersFactory: { buildValidator, buildSerializer } as unknown as CompilersFactory,
};
