import { describe, expect, it } from 'vitest';
import { constraintsOf, curlOf, exampleOf, objectIn, typeOf } from './schema.js';

const plan = {
  type: 'object',
  required: ['name', 'limits'],
  properties: {
    name: { type: 'string' },
    note: { type: 'string' },
    tier: { enum: ['free', 'pro'], examples: ['pro'] },
    limits: { type: 'array', items: { $ref: '#/components/schemas/Limit' } },
    parent: { $ref: '#/components/schemas/Plan' },
  },
};
const limit = { type: 'object', properties: { limit: { type: 'integer', minimum: 1 } } };
const openApi = { components: { schemas: { Plan: plan, Limit: limit } } };
const planRef = { $ref: '#/components/schemas/Plan' };

describe('a schema in words', () => {
  it.each([
    [{ type: 'string', format: 'uuid' }, 'string (uuid)'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ enum: ['a', 1] }, '"a" or 1'],
    [{ const: true }, 'true'],
    [{ type: 'array', items: planRef }, 'array of Plan'],
    [{ type: 'object', patternProperties: { x: { type: 'integer' } } }, 'map of integer'],
    [{}, 'any'],
  ])('%j is %s', (schema, words) => expect(typeOf(schema, openApi)).toBe(words));

  it('says its bounds', () => {
    expect(constraintsOf({ minimum: 0, maximum: 10_000 })).toEqual(['0 to 10,000']);
    expect(constraintsOf({ minLength: 1 })).toEqual(['at least 1 characters']);
    expect(constraintsOf({ maxItems: 5, default: [] })).toEqual(['at most 5 items', 'default []']);
  });

  it('has an object to unfold, wherever it is', () => {
    expect(objectIn({ anyOf: [{ type: 'null' }, planRef] }, openApi)).toBe(plan);
    expect(objectIn({ type: 'array', items: planRef }, openApi)).toBe(plan);
    expect(objectIn({ type: 'string' }, openApi)).toBeNull();
  });
});

describe('an example', () => {
  it('has what is required and what has an example', () => {
    expect(exampleOf(planRef, openApi)).toEqual({
      name: '…',
      tier: 'pro',
      limits: [{ limit: 1 }],
    });
  });

  it('of a schema that contains itself ends', () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/x/Node' } } };
    const text = JSON.stringify(exampleOf(node, { components: { schemas: { Node: node } } }));
    expect(text.length).toBeLessThan(200);
  });
});

describe('a curl line', () => {
  it('can be pasted', () => {
    const line = curlOf({
      method: 'post',
      url: 'http://127.0.0.1:8080/v1/check',
      scheme: 'apiKey',
      body: { subject: "o'brien" },
    });
    expect(line).toBe(
      [
        "curl -X POST 'http://127.0.0.1:8080/v1/check'",
        '-H "x-api-key: $SLUICE_KEY"',
        "-H 'content-type: application/json'",
        `-d '{"subject":"o'\\''brien"}'`,
      ].join(' \\\n  '),
    );
  });

  it('is short where nothing is sent', () => {
    const line = curlOf({ method: 'get', url: 'http://h/metrics', scheme: null, body: undefined });
    expect(line).toBe("curl 'http://h/metrics'");
  });
});
