import { describe, expect, it } from 'vitest';
import type { RlsDescriptor, RlsUnit } from '../ask.ts';
import { buildConfig } from '../config/tree.ts';
import { readSource } from '../config/yaml-source.mjs';
import { applyReplaces } from './apply-replaces.ts';
import { matchIn, type Match } from './match.ts';

const basic = `
domain: test-domain
descriptors:
  - key: key1
    value: value1
    descriptors:
      - key: subkey1
        rate_limit: { unit: second, requests_per_unit: 5 }
      - key: subkey1
        value: subvalue1
        rate_limit: { unit: SECOND, requests_per_unit: 10 }
  - key: key2
    rate_limit: { unit: minute, requests_per_unit: 20 }
  - key: key2
    value: value2
    rate_limit: { unit: minute, requests_per_unit: 30 }
  - key: key2
    value: value3
  - key: key3
    rate_limit: { unit: hour, requests_per_unit: 1 }
    shadow_mode: true
  - key: key4
    rate_limit: { name: key4_rate_limit, unit: day, requests_per_unit: 1 }
    metadata: { plan: gold, nested: { depth: 2, list: [1, two] } }
  - key: key5
    value: value5
    descriptors:
      - key: subkey5
        value: subvalue5
        rate_limit: { unit: day, requests_per_unit: 25 }
  - key: key6
    rate_limit: { unlimited: true }
  - key: key7
    rate_limit: { unit: minute, requests_per_unit: 70 }
    detailed_metric: true
  - key: Key2
    rate_limit: { unit: minute, requests_per_unit: 99 }
`;

type Pair = readonly [key: string, value: string];

function descriptor(pairs: readonly Pair[], limit: RlsDescriptor['limit'] = null): RlsDescriptor {
  const entries = pairs.map(([key, value]) => ({ key, value }));
  return { entries, limit, hits: 1, isRefund: false };
}

function matcher(yaml: string) {
  const config = buildConfig([{ name: 'a.yaml', read: readSource(yaml) }], { isMerging: false });
  const domain = [...config.keys()][0] as string;
  return (...pairs: readonly Pair[]) => {
    const match = matchIn(config, domain, descriptor(pairs));
    return match === 'unknown' ? null : match;
  };
}

function shown(match: Match | null) {
  if (!match) return null;
  const { amount } = match.rule;
  const rate = amount.kind === 'rate' ? `${amount.requestsPerUnit}/${amount.unit}` : amount.kind;
  return `${rate} ${match.statKey.join('.')}`;
}

describe('a descriptor falls under the rule of its path', () => {
  const match = matcher(basic);
  it.each<[string, readonly Pair[], string | null]>([
    ['B2 no entries', [], null],
    [
      'B3 only one value has children',
      [
        ['key1', 'other'],
        ['key1', 'value1'],
      ],
      null,
    ],
    [
      'B4 deeper than the rule',
      [
        ['key2', 'value2'],
        ['subkey', 'x'],
      ],
      null,
    ],
    [
      'B5 no such value below',
      [
        ['key5', 'value5'],
        ['subkey5', 'wrong'],
      ],
      null,
    ],
    [
      'B5 that value below',
      [
        ['key5', 'value5'],
        ['subkey5', 'subvalue5'],
      ],
      '25/DAY test-domain.key5_value5.subkey5_subvalue5',
    ],
    [
      'B6 any value',
      [
        ['key1', 'value1'],
        ['subkey1', 'other'],
      ],
      '5/SECOND test-domain.key1_value1.subkey1',
    ],
    [
      'B6 a value of its own',
      [
        ['key1', 'value1'],
        ['subkey1', 'subvalue1'],
      ],
      '10/SECOND test-domain.key1_value1.subkey1_subvalue1',
    ],
    ['B7 any value', [['key2', 'any']], '20/MINUTE test-domain.key2'],
    ['B7 a value of its own', [['key2', 'value2']], '30/MINUTE test-domain.key2_value2'],
    ['B7 an entry of the allow list', [['key2', 'value3']], null],
    ['B7 an empty value', [['key2', '']], '20/MINUTE test-domain.key2'],
    ['B8 a named rule', [['key4', 'x']], '1/DAY test-domain.key4'],
    ['B9 an unlimited one', [['key6', 'x']], 'unlimited test-domain.key6'],
    ['B10 one value in the statistics', [['key7', 'a']], '70/MINUTE test-domain.key7_a'],
    ['B10 and another', [['key7', 'b']], '70/MINUTE test-domain.key7_b'],
    ['letters are told apart by case', [['KEY2', 'any']], null],
    ['and matched in theirs', [['Key2', 'any']], '99/MINUTE test-domain.Key2'],
  ])('%s', (_name, pairs, expected) => {
    expect(shown(match(...pairs))).toBe(expected);
  });

  it("B8 shows its name, B15 shadow is the rule's own, B21 metadata comes with it", () => {
    expect(match(['key4', 'x'])?.rule).toMatchObject({
      name: 'key4_rate_limit',
      isShadow: false,
      metadata: { plan: 'gold', nested: { depth: 2, list: [1, 'two'] } },
    });
    expect(match(['key3', 'x'])?.rule.isShadow).toBe(true);
    expect(match(['key2', 'x'])?.rule.isShadow).toBe(false);
  });

  it('B1 an unknown domain has no rules, B11 not even those that are sent along', () => {
    const config = buildConfig([{ name: 'a', read: readSource(basic) }], { isMerging: false });
    const limit = { requestsPerUnit: 10, unit: 'DAY' as const };
    expect(matchIn(config, 'other', descriptor([]))).toBe('unknown');
    expect(matchIn(config, 'other', descriptor([['key1', 'value1']], limit))).toBe('unknown');
  });

  it('B12 a limit that is sent along is the one, under a name of all entries', () => {
    const config = buildConfig([{ name: 'a', read: readSource(basic) }], { isMerging: false });
    const sent = (requestsPerUnit: number, unit: RlsUnit, value: string) =>
      matchIn(
        config,
        'test-domain',
        descriptor(
          [
            ['key3', ''],
            ['sub', value],
          ],
          { requestsPerUnit, unit },
        ),
      ) as Match;
    const day = sent(10, 'DAY', 'a');
    const hour = sent(42, 'HOUR', 'a');
    expect(shown(day)).toBe('10/DAY test-domain.key3.sub_a');
    expect(shown(hour)).toBe('42/HOUR test-domain.key3.sub_a');
    expect(hour.statKey).toEqual(day.statKey);
    expect(sent(10, 'DAY', 'b').counted).not.toEqual(day.counted);
    expect(day.rule).toMatchObject({ isShadow: false, isQuota: false, name: null });
  });

  it('no two lists of entries are one counter', () => {
    const any = matcher(
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: {unit: day, requests_per_unit: 1}\n  - key: a_b\n    rate_limit: {unit: day, requests_per_unit: 1}\n',
    );
    expect(any(['a', 'b_c'])?.counted).not.toEqual(any(['a_b', 'c'])?.counted);
  });
});

describe('B16 a star stands for any characters', () => {
  const match = matcher(`
domain: d
descriptors:
  - { key: exact, value: foo, rate_limit: { unit: day, requests_per_unit: 9 } }
  - { key: w, value: "foo*", rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: m, value: "bar*b", rate_limit: { unit: day, requests_per_unit: 2 } }
  - { key: mm, value: "foo*bar*baz", rate_limit: { unit: day, requests_per_unit: 3 } }
  - key: top
    descriptors:
      - { key: w, value: "goo*", rate_limit: { unit: day, requests_per_unit: 4 } }
  - { key: order, value: "a*", rate_limit: { unit: day, requests_per_unit: 5 } }
  - { key: order, value: "ab*", rate_limit: { unit: day, requests_per_unit: 6 } }
  - { key: order, rate_limit: { unit: day, requests_per_unit: 7 } }
`);
  it.each([
    ['w', 'foo1'],
    ['w', 'foo'],
    ['m', 'barab'],
    ['m', 'bar123b'],
    ['m', 'barb'],
    ['mm', 'foo123bar456baz'],
    ['mm', 'foobarbaz'],
    ['exact', 'foo'],
  ])('%s matches %s', (key, value) => expect(match([key, value])).not.toBeNull());

  it.each([
    ['w', 'xfoo'],
    ['m', 'bar'],
    ['m', 'bara'],
    ['m', 'xbarb'],
    ['mm', 'foo123baz'],
    ['mm', 'bar456baz'],
    ['mm', 'foobaz'],
    ['exact', 'foo1'],
  ])('%s does not match %s', (key, value) => expect(match([key, value])).toBeNull());

  it('below another level too', () => {
    expect(shown(match(['top', 'x'], ['w', 'goo1']))).toBe('4/DAY d.top.w_goo*');
    expect(match(['top', 'x'], ['w', 'foo1'])).toBeNull();
  });

  it('the first in the file, not the longest; the bare key last', () => {
    expect(shown(match(['order', 'abc']))).toBe('5/DAY d.order_a*');
    expect(shown(match(['order', 'b']))).toBe('7/DAY d.order');
  });
});

describe('statistics', () => {
  const limit = 'rate_limit: { unit: minute, requests_per_unit: 1 }';
  it('B17 an exact value beats a wildcard, whose values share a counter', () => {
    const match = matcher(`
domain: d
descriptors:
  - { key: file, value: "test*", share_threshold: true, rate_limit: { unit: day, requests_per_unit: 100 } }
  - { key: file, value: test1, rate_limit: { unit: day, requests_per_unit: 50 } }
`);
    expect(shown(match(['file', 'test1']))).toBe('50/DAY d.file_test1');
    expect(shown(match(['file', 'test2']))).toBe('100/DAY d.file_test*');
    expect(match(['file', 'test23'])?.counted).toEqual(match(['file', 'test2'])?.counted);
  });

  it.each([
    [
      'top',
      `{ key: k1, value_to_metric: true, descriptors: [{ key: k2, ${limit} }] }`,
      [
        ['k1', 'A'],
        ['k2', 'b'],
      ],
      'd.k1_A.k2',
    ],
    [
      'middle',
      `{ key: k1, descriptors: [{ key: k2, value_to_metric: true, descriptors: [{ key: k3, ${limit} }] }] }`,
      [
        ['k1', 'X'],
        ['k2', 'Y'],
        ['k3', 'Z'],
      ],
      'd.k1.k2_Y.k3',
    ],
    [
      'a configured value',
      `{ key: k1, value: v, value_to_metric: true, descriptors: [{ key: k2, ${limit} }] }`,
      [
        ['k1', 'v'],
        ['k2', 'b'],
      ],
      'd.k1_v.k2',
    ],
    [
      'a wildcard',
      `{ key: user, value_to_metric: true, descriptors: [{ key: action, value: "read*", value_to_metric: true, descriptors: [{ key: resource, ${limit} }] }] }`,
      [
        ['user', 'alice'],
        ['action', 'readfile'],
        ['resource', 'r'],
      ],
      'd.user_alice.action_readfile.resource',
    ],
    [
      'one level only',
      `{ key: route, descriptors: [{ key: http_method, value_to_metric: true, descriptors: [{ key: subject_id, ${limit} }] }] }`,
      [
        ['route', 'draw'],
        ['http_method', 'GET'],
        ['subject_id', '123'],
      ],
      'd.route.http_method_GET.subject_id',
    ],
    [
      'an empty value',
      `{ key: k1, value_to_metric: true, descriptors: [{ key: k2, ${limit} }] }`,
      [
        ['k1', ''],
        ['k2', 'b'],
      ],
      'd.k1.k2',
    ],
  ] as const)('B18 value_to_metric: %s', (_name, yaml, pairs, expected) => {
    const match = matcher(`domain: d\ndescriptors:\n  - ${yaml}\n`);
    expect(match(...(pairs as readonly Pair[]))?.statKey.join('.')).toBe(expected);
  });

  it('B19 detailed_metric of the last level shows all values', () => {
    const match = matcher(`
domain: domain
descriptors:
  - key: route
    descriptors:
      - key: http_method
        value_to_metric: true
        descriptors:
          - { key: subject_id, detailed_metric: true, ${limit} }
`);
    expect(
      match(['route', 'draw'], ['http_method', 'GET'], ['subject_id', '123'])?.statKey.join('.'),
    ).toBe('domain.route_draw.http_method_GET.subject_id_123');
  });

  it.each([
    [
      'with both flags',
      `{ key: route, value: "api/*", share_threshold: true, value_to_metric: true, detailed_metric: true, descriptors: [{ key: method, ${limit} }] }`,
      [
        ['route', 'api/x'],
        ['method', 'GET'],
      ],
      'test-domain.route_api/*.method',
    ],
    [
      'above a value',
      `{ key: service, value: "svc/*", share_threshold: true, descriptors: [{ key: endpoint, value_to_metric: true, ${limit} }] }`,
      [
        ['service', 'svc/a'],
        ['endpoint', 'get'],
      ],
      'test-domain.service_svc/*.endpoint_get',
    ],
    [
      'one key twice',
      `{ key: files, value: "top/*", share_threshold: true, descriptors: [{ key: files, value: "nested/*", share_threshold: true, ${limit} }] }`,
      [
        ['files', 'top/a'],
        ['files', 'nested/b'],
      ],
      'test-domain.files_top/*.files_nested/*',
    ],
    [
      'in the middle',
      `{ key: midpath, value: "/api*v1", share_threshold: true, detailed_metric: true, ${limit} }`,
      [['midpath', '/api/x/v1']],
      'test-domain.midpath_/api*v1',
    ],
    [
      'several',
      `{ key: tenant, value: "t*prod", share_threshold: true, descriptors: [{ key: resource, value: "res*v2", share_threshold: true, ${limit} }] }`,
      [
        ['tenant', 't-1-prod'],
        ['resource', 'res.x.v2'],
      ],
      'test-domain.tenant_t*prod.resource_res*v2',
    ],
  ] as const)('B20 share_threshold shows the pattern: %s', (_name, yaml, pairs, expected) => {
    const match = matcher(`domain: test-domain\ndescriptors:\n  - ${yaml}\n`);
    const found = match(...(pairs as readonly Pair[]));
    expect(found?.statKey.join('.')).toBe(expected);
  });
});

describe('replaces', () => {
  const match = matcher(`
domain: d
descriptors:
  - { key: a, rate_limit: { name: one, unit: day, requests_per_unit: 1 } }
  - { key: b, rate_limit: { name: two, unit: day, requests_per_unit: 2, replaces: [{ name: one }, { name: three }] } }
  - { key: c, rate_limit: { name: three, unlimited: true, replaces: [{ name: two }] } }
`);
  it('drops the named rules of the same request, whatever their order', () => {
    const [a, b] = [match(['a', 'x']), match(['b', 'x'])];
    expect(applyReplaces([a, b])).toEqual([null, b]);
    expect(applyReplaces([b, a])).toEqual([b, null]);
    expect(applyReplaces([a, null])).toEqual([a, null]);
  });

  it('an unlimited rule can replace others, and those that are replaced still replace', () => {
    const [a, b, c] = [match(['a', 'x']), match(['b', 'x']), match(['c', 'x'])];
    expect(applyReplaces([b, c])).toEqual([null, null]);
    expect(applyReplaces([a, b, c])).toEqual([null, null, null]);
  });
});
