import { describe, expect, it } from 'vitest';
import { buildConfig } from './config/tree.ts';
import { readSource } from './config/yaml-source.mjs';
import { plansOf } from './to-plan.ts';

const rate = 'rate_limit: { unit: minute, requests_per_unit: 5 }';
const convert = (descriptors: string) => {
  const text = `domain: shop\ndescriptors:\n${descriptors}`;
  return plansOf(buildConfig([{ name: 'a', read: readSource(text) }], { isMerging: false }))[0];
};

describe('a domain as a plan', () => {
  it('counts by what has no value, where what has one is there', () => {
    const converted = convert(`
  - { key: subject, ${rate} }
  - key: plan
    value: free
    descriptors:
      - { key: path, shadow_mode: true, rate_limit: { name: "free paths", unit: month, requests_per_unit: 7 } }
  - { key: ip, sluice: { algorithm: token_bucket, bucket_capacity: 9, refill_rate_per_sec: 2 } }`);
    expect(converted).toEqual({
      domain: 'shop',
      plan: {
        name: 'shop',
        limits: [
          {
            name: 'subject',
            algorithm: 'fixed_window',
            limit: 5,
            window_seconds: 60,
            per: ['tenant', 'subject'],
            on_missing: 'skip',
          },
          {
            name: 'ip',
            algorithm: 'token_bucket',
            bucket_capacity: 9,
            refill_rate_per_sec: 2,
            per: ['tenant', 'attributes.ip'],
            on_missing: 'skip',
          },
          {
            name: 'free-paths',
            algorithm: 'quota',
            limit: 7,
            period: 'month',
            per: ['tenant', 'attributes.path'],
            on_missing: 'skip',
            when: { 'attributes.plan': ['free'] },
            mode: 'shadow',
          },
        ],
      },
    });
  });

  it.each([
    ['a wildcard', `  - { key: a, value: "x*", ${rate} }`, /^a_x\*: a plan has no wildcards$/],
    [
      'a value beside all values',
      `  - { key: a, ${rate} }\n  - { key: a, value: b }`,
      /^a: has values/,
    ],
    [
      'a rule above others',
      `  - { key: a, ${rate}, descriptors: [{ key: b, ${rate} }] }`,
      /^a: has rules below/,
    ],
    ['quota mode', `  - { key: a, quota_mode: true, ${rate} }`, /^a: a plan has no replaces/],
    ['a grant', `  - { key: a, ${rate}, sluice: { grant: 2 } }`, /^a: .*no grant$/],
    ['an unlimited rule', '  - { key: a, rate_limit: { unlimited: true } }', /^a: .*unlimited/],
    ['nothing at all', '  - { key: a, rate_limit: { unit: day } }', /limit: must be/],
    ['a key that is no name', `  - { key: "a b", ${rate} }`, /per/],
    ['no rules', '  - { key: a }', /at least one limit/],
  ])(
    'is refused with the reason where it would mean something else: %s',
    (_name, yaml, problem) => {
      expect(convert(yaml)).toMatchObject({ problem: expect.stringMatching(problem) });
    },
  );
});
