import { describe, expect, it } from 'vitest';
import { toApiField } from './api-field.ts';
import { toFieldProblems, type SchemaError } from './field-problems.ts';

function problemsOf(...errors: (Partial<SchemaError> & Pick<SchemaError, 'keyword'>)[]) {
  return toFieldProblems(
    errors.map((error) => ({ instancePath: '', params: {}, ...error })),
    'body',
  );
}

describe('what is wrong', () => {
  it.each([
    ['', 'body'],
    ['/resource', 'resource'],
    ['/checks/0/costs', 'checks[0].costs'],
    ['/attributes/a~1b', 'attributes.a/b'],
  ])('at %j is said of %s', (instancePath, field) => {
    const error = { keyword: 'minLength', instancePath, message: 'must NOT have fewer than 1' };
    expect(problemsOf(error)).toEqual([{ field, problem: 'must not have fewer than 1' }]);
  });

  it('names what is missing', () => {
    const error = {
      keyword: 'required',
      instancePath: '/reserve',
      params: { missingProperty: 'ttl_ms' },
    };
    expect(problemsOf(error)).toEqual([{ field: 'reserve.ttl_ms', problem: 'is required' }]);
  });

  it('names all that is unknown, and what is known', () => {
    const error = {
      keyword: 'additionalProperties',
      params: { additionalProperty: 'foo' },
      data: { resource: '', foo: 1, bar: 2 },
      parentSchema: { properties: { resource: {} } },
    };
    const problem = 'is not known here; known are resource';
    expect(problemsOf(error)).toEqual([
      { field: 'foo', problem },
      { field: 'bar', problem },
    ]);
  });

  it('is bounded, however much is wrong', () => {
    const names = Array.from({ length: 5000 }, (_, at) => `${'x'.repeat(100)}${at}`);
    const problems = problemsOf({
      keyword: 'additionalProperties',
      params: { additionalProperty: names[0] },
      data: Object.fromEntries(names.map((name) => [name, 1])),
    });
    expect(problems.length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(problems).length).toBeLessThan(1000);
  });

  it('of alternatives is one sentence', () => {
    const at = { instancePath: '/subject', data: 1 };
    expect(
      problemsOf(
        { keyword: 'type', ...at, params: { type: 'string' } },
        { keyword: 'type', ...at, params: { type: 'null' } },
        { keyword: 'anyOf', ...at },
      ),
    ).toEqual([{ field: 'subject', problem: 'must be a string or null, got a number' }]);
    expect(
      problemsOf(
        { keyword: 'const', ...at, params: { allowedValue: 'refund' } },
        { keyword: 'const', ...at, params: { allowedValue: 'keep' } },
        { keyword: 'anyOf', ...at },
      ),
    ).toEqual([{ field: 'subject', problem: 'must be one of refund, keep' }]);
  });

  it('of alternatives is said of the one that got furthest', () => {
    expect(
      problemsOf(
        { keyword: 'type', instancePath: '/limits', params: { type: 'null' }, data: [] },
        { keyword: 'type', instancePath: '/limits/0/name', params: { type: 'string' }, data: 1 },
        { keyword: 'anyOf', instancePath: '/limits' },
      ),
    ).toEqual([{ field: 'limits[0].name', problem: 'must be a string, got a number' }]);
  });
});

describe("the API's own names", () => {
  it.each([
    ['idempotencyKey', 'idempotency_key'],
    ['reserve.ttlMs', 'reserve.ttl_ms'],
    ['limits[0].windowSeconds', 'limits[0].window_seconds'],
    ['attributes.userId', 'attributes.userId'],
    ['limits[2].when.attributes.userId', 'limits[2].when.attributes.userId'],
    ['costs.rowCount', 'costs.rowCount'],
  ])('%s is %s', (field, name) => expect(toApiField(field)).toBe(name));
});
