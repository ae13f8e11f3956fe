import fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { StoreFailure } from '../../limiter/src/core/errors.ts';
import { PartOfReply, replyOf } from '../../limiter/src/engines/redis/decode.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const redis = openRedis(inject('redisUrl'));
afterAll(() => redis.disconnect());

/** As Redis itself packs them; numbers go there and back as text, which loses none of them. */
async function packed(values: readonly (number | string)[]): Promise<Buffer> {
  const script = `local values = {}
for index = 1, #ARGV do
  local kind, value = string.match(ARGV[index], '^(.)(.*)$')
  values[index] = kind == 'n' and tonumber(value) or value
end
return cmsgpack.pack(values)`;
  const args = values.map((value) => (typeof value === 'number' ? `n${value}` : `t${value}`));
  return (await redis.callBuffer('eval', script, '0', ...args)) as Buffer;
}

const edges = [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
const whole = fc.oneof(
  fc.constantFrom(...edges, ...edges.map((edge) => -edge), -32, -33, -128, -129, -32_768, -32_769),
  fc.maxSafeInteger(),
);
/** Ids and JSON: one line each. */
const line = fc.string({ minLength: 1, maxLength: 300 }).filter((text) => !/[\n\r\0]/.test(text));

test('what Redis packs is read back as it was, whatever its size', async () => {
  const values = fc.array(fc.oneof(whole, line), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(values, async (sent) => {
      const reply = replyOf(await packed(sent));
      for (const value of sent) {
        // Lua knows no zero with a sign.
        const read = typeof value === 'number' ? reply.number() : reply.text();
        expect(read).toBe(value === 0 ? 0 : value);
      }
      reply.end();
    }),
    { numRuns: 300 },
  );
  const many = Array.from({ length: 70_000 }, (_, at) => at);
  for (const count of [15, 16, 7000]) {
    expect(replyOf(await packed(many.slice(0, count))).rest()).toEqual(many.slice(0, count));
  }
});

test('a reply that is cut off, too long or of another kind is a failure of the store', async () => {
  const whole = await packed([1, 300, 70_000, 2 ** 40, -5, 'a text', 'x'.repeat(300)]);
  const readAll = (bytes: Buffer) => {
    const reply = replyOf(bytes);
    for (let number = 0; number < 5; number += 1) reply.number();
    for (let text = 0; text < 2; text += 1) reply.text();
    reply.end();
  };
  readAll(whole);
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => readAll(whole.subarray(0, length)), `${length} bytes`).toThrow(StoreFailure);
  }
  expect(() => readAll(Buffer.concat([whole, whole]))).toThrow(StoreFailure);
  const readOne = (bytes: number[]) => replyOf(Buffer.from([0x91, ...bytes])).number();
  expect(() => readOne([0xc0]), 'nothing').toThrow(StoreFailure);
  expect(() => readOne([0xa1, 0x61]), 'a text').toThrow(StoreFailure);
  expect(() => readOne([0xcb, 0, 0, 0, 0, 0, 0, 0, 0]), 'a fraction').toThrow(StoreFailure);
  expect(() => readOne([0xcf, 0, 0x20, 0, 0, 0, 0, 0, 0]), '2^53').toThrow(StoreFailure);
  expect(() => replyOf(Buffer.from([0x91, 1])).text(), 'a number').toThrow(StoreFailure);
});

test('a client that gives no bytes gets the same answers in lists', async () => {
  const window = { algorithm: 'fixed_window', window: '365 days', limit: 3 } as const;
  const log = { algorithm: 'sliding_window_log', window: '365 days', limit: 4 } as const;
  const answersBy = async (givesBytes: boolean) => {
    const prefix = `packed-${givesBytes}-`;
    const engine = new RedisEngine({ ...fromIoredis(redis), givesBytes }, { prefix });
    const limits = [
      bound(limitOf({ ...window, name: 'w' })),
      bound(limitOf({ ...log, name: 'l' })),
    ];
    const kinds: unknown[] = [];
    const idempotency = { scope: 's', key: 'the-same-key', fingerprint: 'f', ttlMs: 60_000 };
    for (const more of [{ idempotency }, { idempotency }, {}, {}, {}]) {
      const asked = question(limits, more);
      const result = await engine.decide({ tenant: { id: 'acme' }, questions: [asked] });
      if (result.kind !== 'answered') throw new Error(result.kind);
      const [answer] = result.answers;
      if (answer?.kind !== 'decided') throw new Error(answer?.kind);
      const { allowed, readings, replayOf } = answer;
      const verdicts = readings.map(({ verdict }) => verdict);
      const used = readings.map(({ state }) => (state as { used: number }).used);
      kinds.push({ allowed, verdicts, used, isReplay: replayOf !== null });
    }
    return kinds;
  };
  expect(fromIoredis(redis).givesBytes).toBe(true);
  const inLists = await answersBy(false);
  expect(await answersBy(true)).toEqual(inLists);
  expect(inLists).toMatchObject([
    { allowed: true, used: [1, 1], isReplay: false },
    { allowed: true, used: [1, 1], isReplay: true },
    { allowed: true, used: [2, 2] },
    { allowed: true, used: [3, 3] },
    { allowed: false, verdicts: ['exceeded', 'ok'] },
  ]);
});

test('of a reply to several calls each reads its own, whatever the one before it did', async () => {
  for (const reply of [[1, 2, 3, 4, 5, 6], await packed([1, 2, 3, 4, 5, 6])]) {
    const part = new PartOfReply(replyOf(reply));
    part.begin(3);
    expect(part.number()).toBe(1);
    expect(() => part.end()).toThrow(StoreFailure);
    part.pass();
    part.begin(1);
    expect(part.rest()).toEqual([4]);
    part.end();
    expect(() => part.number()).toThrow(StoreFailure);
    expect(() => part.text()).toThrow(StoreFailure);
    expect(() => part.skip(1)).toThrow(StoreFailure);
    part.pass();
    part.begin(2);
    expect([part.number(), part.number()]).toEqual([5, 6]);
    part.pass();
    part.begin(1);
    expect(() => part.number()).toThrow(StoreFailure);
  }
});
