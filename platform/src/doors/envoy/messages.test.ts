// Our reading of the protocol, held against another's.

import { loadSync } from '@grpc/proto-loader';
import fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RlsRefusal, rlsUnits, type RlsAnswer, type RlsRequest } from '../../rls/ask.ts';
import { readRequest } from './read-request.ts';
import { frameHeadBytes } from './grpc/answer.ts';
import { writeResponse } from './write-response.ts';

type Method = {
  readonly requestSerialize: (message: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
};

const definition = loadSync('envoy/service/ratelimit/v3/rls.proto', {
  includeDirs: [fileURLToPath(new URL('../../../proto', import.meta.url))],
  longs: Number,
  enums: String,
})['envoy.service.ratelimit.v3.RateLimitService'] as unknown as {
  readonly ShouldRateLimit: Method;
};
const { requestSerialize } = definition.ShouldRateLimit;

function outcomeOf(bytes: Buffer): 'read' | 'refused' | 'failed' {
  try {
    readRequest(bytes);
    return 'read';
  } catch (error) {
    return error instanceof RlsRefusal ? 'refused' : 'failed';
  }
}

function responseDeserialize(frame: Buffer): object {
  expect([frame[0], frame.readUInt32BE(1)]).toEqual([0, frame.length - frameHeadBytes]);
  return definition.ShouldRateLimit.responseDeserialize(frame.subarray(frameHeadBytes));
}

const uint32 = fc.nat({ max: 4_294_967_295 });
const text = fc.string({ unit: 'binary', maxLength: 60 });
const entry = fc.record({
  key: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  value: text,
});
const request = fc.record({
  domain: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  hitsAddend: fc.oneof(fc.constant(0), uint32),
  descriptors: fc.array(
    fc.record({
      entries: fc.array(entry, { maxLength: 4 }),
      limit: fc.option(
        fc.record({
          requestsPerUnit: uint32,
          unit: fc.constantFrom(...rlsUnits.filter((unit) => unit !== 'WEEK')),
        }),
      ),
      hitsAddend: fc.option(fc.record({ value: uint32 })),
      isNegativeHits: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

describe('requests', () => {
  it('are read as they were meant', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const expected: RlsRequest = {
          domain: asked.domain,
          descriptors: asked.descriptors.map(({ entries, limit, hitsAddend, isNegativeHits }) => ({
            entries,
            limit,
            hits: hitsAddend?.value ?? Math.max(1, asked.hitsAddend),
            isRefund: isNegativeHits,
          })),
        };
        expect(readRequest(requestSerialize(asked))).toEqual(expected);
      }),
    );
  });

  it('are read or refused, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), request, fc.nat(), (noise, asked, at) => {
        const bytes = requestSerialize(asked);
        for (const hostile of [
          Buffer.from(noise),
          bytes.subarray(0, at % bytes.length),
          Buffer.concat([bytes.subarray(0, at % bytes.length), Buffer.from(noise)]),
        ]) {
          expect(outcomeOf(hostile)).not.toBe('failed');
        }
      }),
    );
  });

  it('a part that comes twice counts as it came last', () => {
    const entries = [{ key: 'k', value: 'v' }];
    const first = requestSerialize({ domain: 'a', hitsAddend: 3, descriptors: [{ entries }] });
    const second = requestSerialize({ domain: 'b', hitsAddend: 4 });
    expect(readRequest(Buffer.concat([first, second]))).toMatchObject({
      domain: 'b',
      descriptors: [{ hits: 4 }],
    });
  });
});

describe('responses', () => {
  const plain = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
  const status = fc.record({
    isOver: fc.boolean(),
    limit: fc.option(
      fc.record({
        name: fc.option(fc.stringMatching(/^[a-z0-9._-]{1,60}$/)),
        requestsPerUnit: uint32,
        unit: fc.option(fc.constantFrom(...rlsUnits)),
      }),
    ),
    remaining: uint32,
    resetSeconds: fc.option(fc.nat({ max: 40_000_000 })),
    quota: fc.option(
      fc.record({
        requests: fc.integer({ min: 1, max: 4_294_967_295 }),
        validUntilSeconds: fc.nat({ max: 4_000_000_000 }),
        id: fc.stringMatching(/^[a-z0-9]{1,22}$/),
      }),
    ),
  });
  const answer: fc.Arbitrary<RlsAnswer> = fc.record({
    isOver: fc.boolean(),
    statuses: fc.array(status, { maxLength: 6 }),
    responseHeaders: fc.array(
      fc.record({ name: fc.stringMatching(/^[a-z0-9-]{1,40}$/), value: plain }),
      { maxLength: 3 },
    ),
    requestHeaders: fc.constant([]),
    body: fc.option(text),
    metadata: fc.constant(null),
  });

  it('are read by another as they were meant', () => {
    fc.assert(
      fc.property(answer, (given) => {
        const code = (isOver: boolean) => (isOver ? 'OVER_LIMIT' : 'OK');
        const told = responseDeserialize(writeResponse(given)) as Readonly<Record<string, unknown>>;
        expect(told['overallCode']).toBe(code(given.isOver));
        expect(told['statuses'] ?? []).toMatchObject(
          given.statuses.map(({ isOver, limit, remaining, resetSeconds, quota }) => ({
            code: code(isOver),
            ...(limit && {
              currentLimit: {
                ...(limit.requestsPerUnit > 0 && { requestsPerUnit: limit.requestsPerUnit }),
                ...(limit.unit && { unit: limit.unit }),
                ...(limit.name && { name: limit.name }),
              },
            }),
            ...(remaining > 0 && { limitRemaining: remaining }),
            ...(resetSeconds !== null && {
              durationUntilReset: resetSeconds > 0 ? { seconds: resetSeconds } : {},
            }),
            ...(quota && {
              quota: {
                requests: quota.requests,
                validUntil: quota.validUntilSeconds > 0 ? { seconds: quota.validUntilSeconds } : {},
                id: quota.id,
              },
            }),
          })),
        );
        const headers = given.responseHeaders.map(({ name, value }) => ({
          key: name,
          ...(value && { value }),
        }));
        expect(told['responseHeadersToAdd'] ?? []).toMatchObject(headers);
        expect(Buffer.from((told['rawBody'] ?? []) as Buffer).toString()).toBe(given.body ?? '');
      }),
    );
  });

  it('of any length are written whole', () => {
    for (const length of [0, 126, 127, 128, 129, 4090, 16_383, 16_384, 100_000]) {
      const body = 'é'.repeat(length);
      const bytes = writeResponse({
        isOver: true,
        statuses: [],
        responseHeaders: [],
        requestHeaders: [],
        body,
        metadata: null,
      });
      expect(String((responseDeserialize(bytes) as { rawBody?: Buffer }).rawBody ?? '')).toBe(body);
    }
  });
});
