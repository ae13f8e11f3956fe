import type { FieldProblem } from './problem.ts';

/** What a validator says of one thing that is wrong. */
export type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
  /** The value, and the schema it failed, when the validator tells. */
  readonly data?: unknown;
  readonly parentSchema?: { readonly properties?: object } | undefined;
};

const problemsMax = 8;
const nameLengthMax = 64;

/** In the words of the API: which field, spelt as the caller spells it, and what about it. */
export function toFieldProblems(errors: readonly SchemaError[], part: string): FieldProblem[] {
  const problems = mostTelling(errors).flatMap((error) => describeError(error, part));
  const unique = new Map(
    problems.map((problem) => [`${problem.field}\n${problem.problem}`, problem]),
  );
  return [...unique.values()].slice(0, problemsMax);
}

/** Of the alternatives that all failed, those that got furthest: the caller meant one of them. */
function mostTelling(errors: readonly SchemaError[]): readonly SchemaError[] {
  if (errors.length < 2) return errors;
  const alternatives = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf');
  const deepest = Math.max(...alternatives.map(depthOf));
  const furthest = alternatives.filter((error) => depthOf(error) === deepest);
  return (
    asOne(furthest, 'type', 'type', 'type') ??
    asOne(furthest, 'const', 'allowedValue', 'allowedValues') ??
    furthest
  );
}

/** Several that want the same thing of the same value, each another kind of it. */
function asOne(
  errors: readonly SchemaError[],
  keyword: string,
  from: string,
  to: string,
): readonly SchemaError[] | null {
  const [first] = errors;
  if (!first || errors.some((error) => error.keyword !== keyword)) return null;
  if (errors.some(({ instancePath }) => instancePath !== first.instancePath)) return null;
  const wanted = [...new Set(errors.flatMap(({ params }) => [params[from]].flat()))];
  return [{ ...first, keyword: to === from ? keyword : 'enum', params: { [to]: wanted } }];
}

function depthOf({ instancePath, keyword }: SchemaError): number {
  // A field that is missing or unknown lies one deeper than the object that lacks or has it.
  const isOfField = keyword === 'required' || keyword === 'additionalProperties';
  return instancePath.split('/').length + (isOfField ? 1 : 0);
}

function describeError(error: SchemaError, part: string): FieldProblem[] {
  const { keyword, params, data } = error;
  const path = toPath(error.instancePath);
  const field = path === '' ? part : path;
  switch (keyword) {
    case 'required':
      return [{ field: join(path, String(params['missingProperty'])), problem: 'is required' }];
    case 'additionalProperties':
      return unknownFields(error, path);
    case 'type':
      return [{ field, problem: `must be ${listTypes(params['type'])}, got ${typeOf(data)}` }];
    case 'enum':
      return [{ field, problem: `must be one of ${[params['allowedValues']].flat().join(', ')}` }];
    case 'const':
      return [{ field, problem: `must be ${JSON.stringify(params['allowedValue'])}` }];
    default:
      return [{ field, problem: inOurCase(error.message ?? 'is not valid') }];
  }
}

function unknownFields({ params, data, parentSchema }: SchemaError, path: string): FieldProblem[] {
  const known = Object.keys(parentSchema?.properties ?? {});
  const first = String(params['additionalProperty']);
  const present = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  const others = present.filter((name) => name !== first && !known.includes(name));
  const hint = known.length === 0 ? '' : `; known are ${known.join(', ')}`;
  return [first, ...others]
    .slice(0, problemsMax)
    .map((name) => ({ field: join(path, name), problem: `is not known here${hint}` }));
}

/** `/checks/0/resource` is `checks[0].resource`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, name: string): string {
  const short = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
  return path === '' ? short : `${path}.${short}`;
}

function listTypes(types: unknown): string {
  return [types].flat().map(withArticle).join(' or ');
}

function withArticle(type: unknown): string {
  if (type === 'null') return 'null';
  return `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return withArticle(typeof value);
}

function inOurCase(message: string): string {
  return message.replace(/^must NOT /, 'must not ');
}
