/**
 * What can be said about schemas without a page to say it on.
 *
 * @typedef {{ readonly [keyword: string]: any }} Schema
 * @typedef {{ readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> } }} OpenApi
 */

const depthMax = 6;

/**
 * @param {Schema | undefined} schema
 * @param {OpenApi} openApi
 * @returns {{ readonly name: string | null, readonly schema: Schema }} what a reference points at
 */
export function resolve(schema = {}, openApi) {
  const name = typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? '') : null;
  if (name === null) return { name, schema };
  return { name, schema: openApi.components?.schemas?.[name] ?? {} };
}

/**
 * @param {Schema} given
 * @param {OpenApi} openApi
 * @returns {string} its type in words
 */
export function typeOf(given, openApi) {
  const { name, schema } = resolve(given, openApi);
  if (name !== null) return name;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (alternatives) {
    return alternatives.map((/** @type {Schema} */ part) => typeOf(part, openApi)).join(' or ');
  }
  if (schema['enum']) return schema['enum'].map(text).join(' or ');
  if ('const' in schema) return text(schema['const']);
  if (schema['type'] === 'array') return `array of ${typeOf(schema['items'] ?? {}, openApi)}`;
  const values = valuesOf(schema);
  if (values && !schema['properties']) return `map of ${typeOf(values, openApi)}`;
  const type = [schema['type'] ?? 'any'].flat().join(' or ');
  return schema['format'] ? `${type} (${schema['format']})` : type;
}

/**
 * @param {Schema} schema
 * @returns {readonly string[]} what else a value must be
 */
export function constraintsOf(schema) {
  return [
    range(schema['minimum'], schema['maximum'], ''),
    range(schema['minLength'], schema['maxLength'], ' characters'),
    range(schema['minItems'], schema['maxItems'], ' items'),
    range(schema['minProperties'], schema['maxProperties'], ' entries'),
    schema['exclusiveMinimum'] === undefined ? '' : `above ${schema['exclusiveMinimum']}`,
    schema['pattern'] === undefined ? '' : `matches ${schema['pattern']}`,
    schema['default'] === undefined ? '' : `default ${text(schema['default'])}`,
  ].filter((part) => part !== '');
}

/**
 * @param {Schema | undefined} given
 * @param {OpenApi} openApi
 * @returns {Schema | null} the object within, where there is one to unfold
 */
export function objectIn(given, openApi) {
  const { schema } = resolve(given, openApi);
  if (schema['properties']) return schema;
  if (schema['type'] === 'array') return objectIn(schema['items'], openApi);
  const values = valuesOf(schema);
  if (values) return objectIn(values, openApi);
  for (const part of schema['anyOf'] ?? schema['oneOf'] ?? []) {
    const found = objectIn(part, openApi);
    if (found) return found;
  }
  return null;
}

/**
 * @param {Schema | undefined} given
 * @param {OpenApi} openApi
 * @returns {unknown} a value that could be sent or answered
 */
export function exampleOf(given, openApi, depth = 0) {
  const { schema } = resolve(given, openApi);
  const [first] = schema['examples'] ?? [];
  if (first !== undefined) return first;
  if ('const' in schema) return schema['const'];
  if (schema['enum']) return schema['enum'][0];
  if (schema['default'] !== undefined) return schema['default'];
  const [alternative] = schema['anyOf'] ?? schema['oneOf'] ?? [];
  if (alternative) return exampleOf(alternative, openApi, depth);
  switch ([schema['type']].flat()[0]) {
    case 'object':
      return depth > depthMax ? {} : exampleObject(schema, openApi, depth);
    case 'array':
      return depth > depthMax ? [] : [exampleOf(schema['items'], openApi, depth + 1)];
    case 'string':
      return exampleText(schema);
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** @type {(schema: Schema, openApi: OpenApi, depth: number) => Record<string, unknown>} */
function exampleObject(schema, openApi, depth) {
  const required = schema['required'] ?? [];
  const entries = Object.entries(schema['properties'] ?? {});
  // Of what may be left out, show what somebody took the trouble to give an example of.
  const shown = entries.filter(([name, part]) => required.includes(name) || part.examples);
  return Object.fromEntries(
    (shown.length > 0 ? shown : entries).map(([name, part]) => [
      name,
      exampleOf(part, openApi, depth + 1),
    ]),
  );
}

/** @type {(schema: Schema) => string} */
function exampleText({ format }) {
  if (format === 'uuid') return '01980000-0000-7000-8000-000000000000';
  return format === 'date-time' ? '2026-01-31T12:00:00Z' : '…';
}

/**
 * @param {{ readonly method: string, readonly url: string, readonly scheme: string | null, readonly body: unknown }} call
 * @returns {string} a line to paste into a shell
 */
export function curlOf({ method, url, scheme, body }) {
  const credentials = {
    apiKey: '-H "x-api-key: $SLUICE_KEY"',
    bearer: '-H "authorization: Bearer $SLUICE_ADMIN_TOKEN"',
  };
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(url)}`,
    scheme === null ? '' : (credentials[/** @type {'apiKey' | 'bearer'} */ (scheme)] ?? ''),
    body === undefined ? '' : "-H 'content-type: application/json'",
    body === undefined ? '' : `-d ${quote(JSON.stringify(body))}`,
  ];
  return parts.filter((part) => part !== '').join(' \\\n  ');
}

/** @type {(text: string) => string} */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @type {(schema: Schema) => Schema | null} */
function valuesOf(schema) {
  const [values] = Object.values(schema['patternProperties'] ?? {});
  if (values) return values;
  return typeof schema['additionalProperties'] === 'object' ? schema['additionalProperties'] : null;
}

/** @type {(min: number | undefined, max: number | undefined, unit: string) => string} */
function range(min, max, unit) {
  if (min !== undefined && max !== undefined) return `${group(min)} to ${group(max)}${unit}`;
  if (min !== undefined) return `at least ${group(min)}${unit}`;
  return max === undefined ? '' : `at most ${group(max)}${unit}`;
}

/** @type {(value: number) => string} */
function group(value) {
  return value.toLocaleString('en');
}

/** @type {(value: unknown) => string} */
function text(value) {
  return JSON.stringify(value);
}
