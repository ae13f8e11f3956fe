import { describe, expect, it } from 'vitest';
import { requestBounds } from '../bounds.ts';
import { buildConfig, descriptorsMax } from './tree.ts';
import { readSource, type Source } from './yaml-source.mjs';

const load = (text: string) =>
  buildConfig([{ name: 'a.yaml', read: readSource(text) }], { isMerging: false });
const limit = 'rate_limit: { unit: day, requests_per_unit: 1 }';
const one = `domain: d\ndescriptors:\n  - key: a\n    ${limit}\n`;

describe('B13 a file that can not be used is refused with its line and reason', () => {
  it.each([
    ['no domain', 'descriptors:\n  - key: a\n', 1, 'config file cannot have empty domain'],
    ['an empty domain', '\ndomain: ""\n', 2, 'config file cannot have empty domain'],
    ['an empty file', '', 1, 'error loading config file: a configuration file must be a map'],
    ['no key', 'domain: d\ndescriptors:\n  - value: x\n', 3, 'descriptor has empty key'],
    [
      'a key twice',
      'domain: d\ndescriptors:\n  - key: a\n    value: b\n  - key: a\n    value: b\n',
      5,
      "duplicate descriptor composite key 'd.a_b'",
    ],
    [
      'a key twice below',
      'domain: d\ndescriptors:\n  - key: a\n    descriptors:\n      - key: b\n      - key: b\n',
      6,
      "duplicate descriptor composite key 'd.a.b'",
    ],
    [
      'an unknown unit',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unit: foo\n',
      5,
      "invalid rate limit unit 'foo'",
    ],
    [
      'no unit',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      requests_per_unit: 5\n',
      5,
      "invalid rate limit unit ''",
    ],
    [
      'UNKNOWN as a unit',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: unknown }\n',
      4,
      "invalid rate limit unit 'unknown'",
    ],
    [
      'a unit of the unlimited',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unlimited: true\n      unit: day\n',
      6,
      'should not specify rate limit unit when unlimited',
    ],
    [
      'a rule that replaces itself',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      name: x\n      unit: day\n      replaces:\n        - name: x\n',
      8,
      'replaces should not contain name of same descriptor',
    ],
    [
      'one that replaces nothing',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unit: day\n      replaces:\n        - name: ""\n',
      7,
      'should not have an empty replaces entry',
    ],
    [
      'an unknown key',
      'domain: d\ndescriptors:\n  - key: a\n    ratelimit: {}\n',
      4,
      "config error, unknown key 'ratelimit'",
    ],
    [
      'an unknown key below a rule',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, foo: 2 }\n',
      4,
      "config error, unknown key 'foo'",
    ],
    [
      'a key that is no text',
      'domain: d\ndescriptors:\n  - key: a\n    0.25: x\n',
      4,
      'config error, key is not of type string: 0.25',
    ],
    [
      'a list of texts',
      'domain: d\ndescriptors:\n  - a\n  - b\n',
      3,
      'config error, yaml file contains list of type other than map: a',
    ],
    [
      'a shared value that is no pattern',
      'domain: d\ndescriptors:\n  - key: a\n    value: b\n    share_threshold: true\n',
      5,
      "share_threshold can only be used with wildcard values (containing '*'), but found key 'a_b'",
    ],
    [
      'an amount that is no number',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unit: day\n      requests_per_unit: many\n',
      6,
      'error loading config file: requests_per_unit must be a whole number from 0 to 4294967295',
    ],
    [
      'a flag that is none',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day }\n    shadow_mode: 7\n',
      5,
      'error loading config file: shadow_mode must be true or false',
    ],
    [
      'a name that would break a header',
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      name: "x\\r\\nset-cookie: y"\n      unit: day\n',
      5,
      'name must be at most 128 printable ASCII characters without " and \\, for it is shown in headers',
    ],
    [
      'concurrency',
      'domain: d\ndescriptors:\n  - key: a\n    sluice: { algorithm: concurrency, max_concurrent: 1, stale_after_seconds: 5 }\n',
      4,
      'sluice: a gateway does not say when a call ends: concurrency limits nothing here',
    ],
    [
      'two amounts',
      `domain: d\ndescriptors:\n  - key: a\n    ${limit}\n    sluice: { algorithm: fixed_window, limit: 1, window_seconds: 5 }\n`,
      4,
      'should not specify unit beside an algorithm of sluice',
    ],
    [
      'another charging',
      'domain: d\ndescriptors:\n  - key: a\n    sluice: { charging: never }\n',
      4,
      'sluice: charging must be after_response, or left out',
    ],
    [
      'what the descriptor says',
      'domain: d\ndescriptors:\n  - key: a\n    sluice: { algorithm: fixed_window, limit: 1, window_seconds: 5, per: [tenant] }\n',
      4,
      'sluice: per is said by the descriptor itself',
    ],
  ])('%s', (_name, text, line, problem) => {
    expect(() => load(text)).toThrow(expect.objectContaining({ file: 'a.yaml', line, problem }));
  });

  const perDay = 'rate_limit: { unit: day, requests_per_unit: 5 }';
  const bucket = 'algorithm: token_bucket, bucket_capacity: 9, refill_rate_per_sec: 1';
  const window = 'algorithm: fixed_window, limit: 9, window_seconds: 5';
  const whole = 'grant must be a whole number from 1 to 1000000';
  const tooMuch = (limit: number) =>
    `grant must be less than the limit of ${limit}, for a request takes it and itself`;
  const noLimit = 'grant needs a limit to take it from';
  it.each([
    ['of nothing', perDay, 'grant: 0', whole],
    ['of half', perDay, 'grant: 1.5', whole],
    ['of too much', perDay, 'grant: 1000001', whole],
    ['that never fits', perDay, 'grant: 5', tooMuch(5)],
    ['that does not fit into a bucket', '', `${bucket}, grant: 9`, tooMuch(9)],
    [
      'of what has happened',
      perDay,
      'grant: 2, charging: after_response',
      'grant is for what is still to happen: leave out charging',
    ],
    [
      'that is none, with a time',
      perDay,
      'grant_seconds: 2',
      'grant_seconds says how long a grant lasts: there is no grant',
    ],
    [
      'for ever',
      perDay,
      'grant: 2, grant_seconds: 86401',
      'grant_seconds must be a whole number from 1 to 86400',
    ],
    ['of what has no end', 'rate_limit: { unlimited: true }', 'grant: 2', noLimit],
    ['of no limit', '', 'grant: 2', noLimit],
    [
      'that would block',
      '',
      `${window}, block_for_seconds: 9, grant: 2`,
      'grant can not stand beside block_for_seconds: what does not fit would block',
    ],
  ])('a grant %s', (_name, rateLimit, own, problem) => {
    const text = `domain: d\ndescriptors:\n  - key: a\n    sluice: { ${own} }\n    ${rateLimit}\n`;
    expect(() => load(text)).toThrow(
      expect.objectContaining({ line: 4, problem: `sluice: ${problem}` }),
    );
  });

  it('names the file and the line in its message', () => {
    expect(() => load('domain: d\ndescriptors:\n  - {}\n')).toThrow(
      'a.yaml:3: descriptor has empty key',
    );
  });

  it('broken YAML', () => {
    expect(() => load('domain: d\ndescriptors:\n  - key: [a\n')).toThrow(
      /^a\.yaml:\d: error loading config file: /,
    );
    expect(() => load('domain: a\n---\ndomain: b\n')).toThrow(/error loading config file/);
    expect(() => load('domain: d\ndomain: e\n')).toThrow(/^a\.yaml:2: error loading config file/);
  });

  it('a wrong number of our own', () => {
    expect(() =>
      load(
        'domain: d\ndescriptors:\n  - key: a\n    sluice: { algorithm: token_bucket, bucket_capacity: 0, refill_rate_per_sec: 1 }\n',
      ),
    ).toThrow(/^a\.yaml:4: sluice\.bucket_capacity: /);
  });

  it('B14 a domain twice, unless files may add to one', () => {
    const other = one.replace('key: a', 'key: b');
    const files = [
      { name: 'a.yaml', read: readSource(one) },
      { name: 'b.yaml', read: readSource(other) },
    ];
    expect(() => buildConfig(files, { isMerging: false })).toThrow(
      "b.yaml:1: duplicate domain 'd' in config file",
    );
    const merged = buildConfig(files, { isMerging: true });
    expect([...(merged.get('d')?.anyValue.keys() ?? [])]).toEqual(['a', 'b']);
    const again = { name: 'c.yaml', read: readSource(one) };
    expect(() => buildConfig([...files, again], { isMerging: true })).toThrow(
      "c.yaml:3: duplicate descriptor composite key 'd.a'",
    );
  });

  it('too many or too deep descriptors', () => {
    const text = (value: string): Source => ({ kind: 'scalar', line: 1, value, text: value });
    const map = (fields: Record<string, Source>): Source => ({
      kind: 'map',
      line: 1,
      fields: Object.entries(fields).map(([key, value]) => ({ key: text(key), value })),
    });
    const items = Array.from({ length: descriptorsMax + 1 }, (_, at) =>
      map({ key: text(`${at}`) }),
    );
    const source = map({ domain: text('d'), descriptors: { kind: 'list', line: 1, items } });
    expect(() => buildConfig([{ name: 'a', read: { source } }], { isMerging: true })).toThrow(
      /more than 20000 descriptors/,
    );
    let deep = '{key: a}';
    for (let at = 0; at <= requestBounds.entries; at += 1)
      deep = `{key: a, descriptors: [${deep}]}`;
    expect(() => load(`domain: d\ndescriptors: [${deep}]`)).toThrow(/nested/);
  });

  it('one that grows beyond all bounds by aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 9; at += 1) {
      lines.push(
        `a${at}: &a${at} [${Array(10)
          .fill(`*a${at - 1}`)
          .join()}]`,
      );
    }
    expect(() => load(`domain: d\n${lines.join('\n')}\n`)).toThrow(/error loading config file/);
  });
});

describe('a file is read as it is written', () => {
  it('with anchors and merges, and texts that look like something else', () => {
    const config = load(`
domain: d
descriptors:
  - &base
    key: a
    value: 010
    rate_limit: { unit: Day, requests_per_unit: 3 }
  - <<: *base
    key: b
    value: yes
  - key: c
    value: 10.0
    rate_limit: { unlimited: yes }
`);
    const root = config.get('d');
    expect(root?.exact.get('a')?.get('010')?.rule?.amount).toEqual({
      kind: 'rate',
      unit: 'DAY',
      requestsPerUnit: 3,
    });
    expect(root?.exact.get('b')?.get('yes')?.rule?.amount).toMatchObject({ requestsPerUnit: 3 });
    expect(root?.exact.get('c')?.get('10.0')?.rule?.amount).toEqual({ kind: 'unlimited' });
  });

  it('an unlimited rule with a misspelt unit is taken, as the reference service does', () => {
    const text =
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unlimited: true, unit: dya }\n';
    expect(load(text).get('d')?.anyValue.get('a')?.rule?.amount.kind).toBe('unlimited');
  });

  it('with one of our own algorithms behind a descriptor', () => {
    const text =
      'domain: d\ndescriptors:\n  - key: a\n    sluice: { algorithm: token_bucket, bucket_capacity: 20, refill_rate_per_sec: 0.5, on_store_failure: closed }\n';
    expect(load(text).get('d')?.anyValue.get('a')?.rule).toMatchObject({
      isAfterResponse: false,
      amount: { kind: 'algorithm', input: { algorithm: 'token_bucket', capacity: 20 } },
    });
  });
});
