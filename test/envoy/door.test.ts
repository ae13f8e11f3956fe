// What gateways ask and are told, spoken by another's reading of the protocol.

import { describe, expect, it } from 'vitest';
import { RlsRefusal } from '../../platform/src/rls/ask.ts';
import { descriptorOf, failing, openDoor } from './rig.ts';

const status = {
  unknown: 2,
  invalid: 3,
  notFound: 5,
  exhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

describe('ShouldRateLimit', () => {
  it('answers each descriptor in order, and over where one is', async () => {
    const { client } = await openDoor();
    const gateway = client();
    for (const left of [2, 1, 0]) {
      expect(await gateway.askFor('ann')).toEqual({
        overallCode: 'OK',
        statuses: [
          {
            code: 'OK',
            currentLimit: { requestsPerUnit: 3, unit: 'HOUR' },
            ...(left > 0 && { limitRemaining: left }),
            durationUntilReset: { seconds: 3600 },
          },
        ],
      });
    }
    const descriptors = [descriptorOf('bob'), descriptorOf('ann')];
    const { overallCode, statuses } = await gateway.ask({ domain: 'shop', descriptors });
    expect(overallCode).toBe('OVER_LIMIT');
    expect(statuses.map(({ code }) => code)).toEqual(['OK', 'OVER_LIMIT']);
  });

  it("takes a descriptor's own hits, else the request's, else 1; 0 only looks", async () => {
    const { client, service } = await openDoor();
    const gateway = client();
    const descriptors = [
      descriptorOf('a'),
      descriptorOf('b', { hitsAddend: { value: 0 } }),
      descriptorOf('c', { hitsAddend: { value: 7 }, isNegativeHits: true }),
    ];
    await gateway.ask({ domain: 'shop', descriptors, hitsAddend: 5 });
    await gateway.ask({ domain: 'shop', descriptors });
    const hits = service.asked.map((asked) => asked.descriptors.map((one) => one.hits));
    expect(hits).toEqual([
      [5, 0, 7],
      [1, 0, 7],
    ]);
    expect(service.asked[0]?.descriptors.map((one) => one.isRefund)).toEqual([false, false, true]);
  });

  it('takes a limit that a descriptor brings along', async () => {
    const { client, service } = await openDoor();
    const limit = { requestsPerUnit: 42, unit: 'MONTH' };
    await client().ask({ domain: 'shop', descriptors: [descriptorOf('ann', { limit })] });
    expect(service.asked[0]?.descriptors[0]?.limit).toEqual(limit);
  });

  it('passes on headers, body and metadata', async () => {
    const { client, service } = await openDoor();
    service.extra = {
      responseHeaders: [{ name: 'retry-after', value: '7' }],
      requestHeaders: [{ name: 'x-tier', value: 'gold' }],
      body: '{"é":1}',
      metadata: { domain: 'shop', nested: { list: [1.5, 'two', true, null] }, empty: {} },
    };
    const answer = await client().askFor('ann');
    expect(answer['responseHeadersToAdd']).toEqual([{ key: 'retry-after', value: '7' }]);
    expect(answer['requestHeadersToAdd']).toEqual([{ key: 'x-tier', value: 'gold' }]);
    expect(String(answer['rawBody'])).toBe('{"é":1}');
    const text = (stringValue: string) => ({ kind: 'stringValue', stringValue });
    const inner = (fields: object) => ({ kind: 'structValue', structValue: { fields } });
    expect(answer['dynamicMetadata']).toMatchObject({
      fields: {
        domain: text('shop'),
        nested: inner({
          list: {
            kind: 'listValue',
            listValue: {
              values: [
                { kind: 'numberValue', numberValue: 1.5 },
                text('two'),
                { kind: 'boolValue', boolValue: true },
                { kind: 'nullValue', nullValue: 'NULL_VALUE' },
              ],
            },
          },
        }),
        empty: { kind: 'structValue' },
      },
    });
  });

  it('says no more than 32 bits hold, and no unit where there is none', async () => {
    const { client, service } = await openDoor();
    service.shown = { requestsPerUnit: 1e12, unit: null, name: 'month' };
    const { statuses } = await client().askFor('ann');
    expect(statuses[0]?.['currentLimit']).toEqual({
      requestsPerUnit: 4_294_967_295,
      name: 'month',
    });
  });

  it('passes on what is granted, and until when to the millisecond before', async () => {
    const { client, service } = await openDoor();
    const gateway = client();
    expect((await gateway.askFor('ann')).statuses[0]?.['quota'] ?? null).toBeNull();
    service.quota = { requests: 20, validUntilSeconds: 1_789_000_000.1239, id: 'counter' };
    expect((await gateway.askFor('ann')).statuses[0]?.['quota']).toMatchObject({
      requests: 20,
      validUntil: { seconds: 1_789_000_000, nanos: 123_000_000 },
      id: 'counter',
    });
  });

  it('sends no name or header that would become another header', async () => {
    const { client, service } = await openDoor();
    service.shown = { name: 'a"b\r\nx: y\\;é,' };
    service.extra = {
      responseHeaders: [
        { name: 'x-note', value: 'one\r\nset-cookie: a=b\0é' },
        { name: 'bad name\r\nx', value: '1' },
        { name: ':status', value: '200' },
        { name: '', value: '1' },
      ],
    };
    const answer = await client().askFor('ann');
    expect(answer.statuses[0]?.['currentLimit']).toMatchObject({ name: 'a_b__x: y____' });
    expect(answer['responseHeadersToAdd']).toEqual([
      { key: 'x-note', value: 'one__set-cookie: a=b__' },
    ]);
  });

  it('leaves out metadata that is larger or deeper than a gateway should keep', async () => {
    const { client, service } = await openDoor();
    const gateway = client();
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 40; level += 1) deep = { deep };
    for (const metadata of [{ large: 'x'.repeat(70_000) }, deep]) {
      service.extra = { metadata };
      const answer = await gateway.askFor('ann');
      expect(answer.overallCode).toBe('OK');
      expect(answer['dynamicMetadata'] ?? null).toBeNull();
    }
  });
});

describe('what cannot be asked', () => {
  const entries = [{ key: 'user', value: 'ann' }];
  const ask = (more: object) => ({ domain: 'shop', descriptors: [{ entries }], ...more });
  const limited = (limit: object) => ask({ descriptors: [{ entries, limit }] });
  const many = (count: number) => Array.from({ length: count }, () => ({ entries }));
  const bad: readonly [string, object, RegExp][] = [
    ['no domain', ask({ domain: '' }), /^rate limit domain must not be empty$/],
    ['no descriptors', ask({ descriptors: [] }), /^rate limit descriptor list must not be empty$/],
    ['a long domain', ask({ domain: 'd'.repeat(1025) }), /domain must be at most 1024/],
    ['10,000 descriptors', ask({ descriptors: many(10_000) }), /at most 64 descriptors/],
    [
      'many entries',
      ask({ descriptors: [{ entries: many(33).flatMap((one) => one.entries) }] }),
      /at most 32 entries/,
    ],
    [
      'an entry without key',
      ask({ descriptors: [{ entries: [{ value: 'x' }] }] }),
      /key .* must not be empty/,
    ],
    [
      'a long key',
      ask({ descriptors: [{ entries: [{ key: 'k'.repeat(1025) }] }] }),
      /key must be at most/,
    ],
    [
      'a long value',
      ask({ descriptors: [{ entries: [{ key: 'k', value: 'v'.repeat(4097) }] }] }),
      /value must be at most/,
    ],
    [
      'too many hits',
      ask({ descriptors: [{ entries, hitsAddend: { value: 2 ** 40 } }] }),
      /hits_addend must be at most/,
    ],
    ['a limit without unit', limited({ requestsPerUnit: 1 }), /unit/],
    ['a limit by an unknown unit', limited({ requestsPerUnit: 1, unit: 99 }), /unit/],
    ['a limit by the week', limited({ requestsPerUnit: 1, unit: 7 }), /unit/],
  ];

  it.each(bad)('%s: INVALID_ARGUMENT, and nothing is asked', async (_name, request, details) => {
    const { client, service } = await openDoor();
    await expect(client().ask({ ...request })).rejects.toMatchObject(
      failing(status.invalid, details),
    );
    expect(service.asked).toEqual([]);
  });

  const malformed = /^the message is not well-formed protobuf$/;
  const noText = Buffer.from([0x0a, 1, 0x64, 0x12, 8, 0x0a, 6, 0x0a, 1, 0x6b, 0x12, 1, 0xff]);
  it.each([
    ['a cut message', Buffer.from([0x0a, 0x05, 0x61]), malformed],
    ['a varint without end', Buffer.alloc(12, 0xff), malformed],
    ['a field of no number', Buffer.from([0x00, 0x01]), malformed],
    ['a kind that there is not', Buffer.from([0x0f]), malformed],
    ['a group', Buffer.from([0x0b, 0x0c]), malformed],
    ['a message beyond the one around it', Buffer.from([0x12, 2, 0x0a, 0x7f, 0, 0]), malformed],
    ['text that is none', noText, /^a value must be UTF-8$/],
    ['nothing', Buffer.alloc(0), /^rate limit domain must not be empty$/],
  ])('%s: INVALID_ARGUMENT', async (_name, bytes, details) => {
    const { client, service } = await openDoor();
    await expect(client().askBytes(bytes)).rejects.toMatchObject(failing(status.invalid, details));
    expect(service.asked).toEqual([]);
  });

  it('fields of a newer gateway are passed over', async () => {
    const { client, service } = await openDoor();
    const newer = [0x78, 0x05, 0x7a, 0x02, 1, 2, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4];
    const asked = [0x0a, 1, 0x64, 0x12, 10, 0x0a, 6, 0x0a, 1, 0x6b, 0x12, 1, 0x76, 0x78, 1];
    await client().askBytes(Buffer.from([...newer, ...asked]));
    expect(service.asked).toEqual([
      {
        domain: 'd',
        descriptors: [
          { entries: [{ key: 'k', value: 'v' }], limit: null, hits: 1, isRefund: false },
        ],
      },
    ]);
  });

  it('a message of a megabyte: RESOURCE_EXHAUSTED', async () => {
    const { client, service } = await openDoor();
    const large = ask({ domain: 'd'.repeat(1_048_576) });
    await expect(client().ask({ ...large })).rejects.toMatchObject(failing(status.exhausted));
    expect(service.asked).toEqual([]);
  });

  it('headers beyond what a server takes: an error, nothing asked, and others go on', async () => {
    const { client, service, address } = await openDoor();
    const { connect } = await import('node:http2');
    const session = connect(`http://${address}`);
    session.on('error', () => {});
    const stream = session.request({
      ':method': 'POST',
      ':path': '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
      'content-type': 'application/grpc',
      ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'v'.repeat(500)])),
    });
    const outcome = await new Promise((resolve) => {
      stream.on('response', (headers) => resolve(headers[':status']));
      stream.on('error', () => resolve('reset'));
      stream.on('close', () => resolve('closed'));
    });
    expect(['reset', 'closed', 431]).toContain(outcome);
    session.destroy();
    expect(service.asked).toEqual([]);
    expect((await client().askFor('ann')).overallCode).toBe('OK');
  });

  it('a method that there is not: UNIMPLEMENTED', async () => {
    const { client } = await openDoor();
    const asked = client().askBytes(Buffer.alloc(0), '/envoy.service.ratelimit.v2.Gone/Ask');
    await expect(asked).rejects.toMatchObject(failing(status.unimplemented));
  });
});

describe('what fails', () => {
  it.each([
    ['invalid', status.invalid],
    ['not_loaded', status.failedPrecondition],
    ['unavailable', status.unavailable],
  ] as const)('a refusal that is %s has its code and its words', async (refusal, code) => {
    const { client, service } = await openDoor();
    service.failure = new RlsRefusal(refusal, 'as was said');
    await expect(client().askFor('ann')).rejects.toMatchObject(failing(code, /^as was said$/));
  });

  it('what nobody foresaw is INTERNAL, says nothing outside and is logged, but not each time', async () => {
    const { client, service, wholeLog } = await openDoor();
    const gateway = client();
    service.failure = new Error('the secret of ann');
    for (let times = 0; times < 50; times += 1) {
      await expect(gateway.askFor('ann')).rejects.toMatchObject(
        failing(status.internal, /^(?!.*secret)/),
      );
    }
    const log = await wholeLog();
    expect(log.match(/"event":"envoy\.failed"/g)).toHaveLength(1);
    expect(log).toContain('"kind":"INTERNAL"');
    service.failure = null;
    expect((await gateway.askFor('ann')).overallCode).toBe('OK');
  });

  it('calls are counted by code, and those without a decision by outcome', async () => {
    const { client, service, metrics } = await openDoor();
    const gateway = client();
    await gateway.askFor('ann');
    await expect(gateway.ask({ domain: '' })).rejects.toMatchObject({ code: status.invalid });
    service.failure = new Error('broken');
    await expect(gateway.askFor('ann')).rejects.toMatchObject({ code: status.internal });
    const text = await metrics.text();
    for (const code of ['OK', 'INVALID_ARGUMENT', 'INTERNAL']) {
      const series = `grpc_call_duration_seconds_count{method="ShouldRateLimit",code="${code}"} 1`;
      expect(text).toContain(series);
    }
    expect(text).toContain('requests_total{route="envoy.rls",outcome="rejected"} 1');
    expect(text).toContain('requests_total{route="envoy.rls",outcome="failed"} 1');
  });
});
