// The port that the engine asks of a client is two methods: here they fail in chosen ways, and
// their calls are counted. Everything about real servers is in the other files.

import { expect, test } from 'vitest';
import { StoreFailure } from '../../limiter/src/core/errors.ts';
import { RedisEngine, type RedisClient } from '../../limiter/src/engines/redis/index.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { openStore } from '../support/store.ts';

const limit = limitOf({ algorithm: 'fixed_window', limit: 10, window: '1 min' });
const tenant = { id: 'a-tenant' };
const call = () => ({ tenant, questions: [question([bound(limit)])] });
const replies = [1_790_000_000_000_000, 1, 0, 1_789_999_980_000_000, 1_790_000_040_000_000, 1];

function countingClient(answer: (method: 'evalsha' | 'eval') => unknown) {
  const calls: string[] = [];
  const respond = (method: 'evalsha' | 'eval') => async () => {
    calls.push(method);
    const answered = answer(method);
    if (answered instanceof Error) throw answered;
    return answered;
  };
  const client: RedisClient = { evalsha: respond('evalsha'), eval: respond('eval') };
  return { client, calls };
}

test('an unknown script is sent once in full, for nothing ran', async () => {
  const missing = new Error('NOSCRIPT No matching script. Please use EVAL.');
  const { client, calls } = countingClient((method) => (method === 'evalsha' ? missing : replies));
  const result = await new RedisEngine(client, { allowances: null }).decide(call());
  expect(result.kind).toBe('answered');
  expect(calls).toEqual(['evalsha', 'eval']);
});

test('an unknown script is not sent a third time', async () => {
  const { client, calls } = countingClient(() => new Error('NOSCRIPT No matching script.'));
  await expect(new RedisEngine(client).decide(call())).rejects.toBeInstanceOf(StoreFailure);
  expect(calls).toEqual(['evalsha', 'eval']);
});

test.each([
  ['MOVED 3999 127.0.0.1:6381', 'moved'],
  ['ASK 3999 127.0.0.1:6381', 'ask'],
  ['CLUSTERDOWN The cluster is down', 'clusterdown'],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'tryagain'],
  ['BUSY Redis is busy running a script.', 'busy'],
  ['OOM command not allowed when used memory > maxmemory.', 'oom'],
  ["READONLY You can't write against a read only replica.", 'readonly'],
  ['LOADING Redis is loading the dataset in memory', 'loading'],
  ['NOPERM this user has no permissions', 'noperm'],
  ['ERR Error running script: NOSCRIPT', 'err'],
  ['Command timed out', 'unreachable'],
  ['Connection is closed.', 'unreachable'],
  ["Stream isn't writeable and enableOfflineQueue options is false", 'unreachable'],
  ['read ECONNRESET', 'unreachable'],
])('"%s" is not sent again', async (message, reason) => {
  const { client, calls } = countingClient(() => new Error(message));
  const failure = await failureOf(new RedisEngine(client).decide(call()));
  expect(failure.reason).toBe(reason);
  expect(failure.message).not.toContain('127.0.0.1');
  expect(calls).toEqual(['evalsha']);
});

test.each([
  ['a string', 'OK'],
  ['nothing', null],
  ['a number', 1],
  ['an empty list', []],
  ['a time and no more', replies.slice(0, 1)],
  ['a list cut short', replies.slice(0, -1)],
  ['nothing for the time', [null, ...replies.slice(1)]],
  ['nothing for the status', [replies[0], null, ...replies.slice(2)]],
  ['nothing for a number', [...replies.slice(0, -1), null]],
  ['an empty text for a number', [...replies.slice(0, -1), '']],
  ['words for a number', [...replies.slice(0, -1), 'many']],
  ['a list for a number', [...replies.slice(0, -1), [1]]],
  ['true for a number', [...replies.slice(0, -1), true]],
  ['a fraction', [...replies.slice(0, -1), 1.5]],
  ['more than counts exactly', [...replies.slice(0, -1), 2 ** 53]],
  ['a verdict that is none', [replies[0], 1, 7, ...replies.slice(3)]],
  ['a negative verdict', [replies[0], 1, -1, ...replies.slice(3)]],
  ['a status that is none', [replies[0], 9, ...replies.slice(2)]],
  ['a negative status', [replies[0], -1, ...replies.slice(2)]],
  ['a problem that is none', [-9, ...replies]],
  ['a replay without its id', [replies[0], 2, 7, 1, ...replies]],
  ['keys that are none', [-4, replies[0], 99]],
  ['more than was asked for', [...replies, 5]],
])('a reply with %s is a failed store, never a decision', async (_what, reply) => {
  const { client } = countingClient(() => reply);
  const failure = await failureOf(new RedisEngine(client, { allowances: null }).decide(call()));
  expect(failure.reason).toBe('malformed reply');
});

test.each([
  ['inspect', (engine: RedisEngine) => engine.inspect(tenant, [bound(limit)])],
  ['settle', (engine: RedisEngine) => engine.settle(tenant, { reservationId: 'r', costs: {} })],
  ['takeLedger', (engine: RedisEngine) => engine.takeLedger(tenant, 9)],
  [
    'heartbeat',
    (engine: RedisEngine) => engine.heartbeat(tenant, { reservationId: 'r', ttlMs: 1 }),
  ],
])('a senseless reply to %s is a failed store', async (_verb, ask) => {
  for (const reply of ['no sense', 5, [null, null], ['7:a:label', 'many'], ['open 0 0|{']]) {
    const { client } = countingClient(() => reply);
    await failureOf(ask(new RedisEngine(client)));
  }
});

test('numbers may come as text, as some clients are set up to return them', async () => {
  const { client } = countingClient(() => replies.map(String));
  const engine = new RedisEngine(client, { allowances: null });
  const result = await engine.decide(call());
  expect(result).toMatchObject({ kind: 'answered', answers: [{ allowed: true }] });
});

test('a client that returns numbers as text gives the same answers', async () => {
  const store = openStore({ stringNumbers: true });
  const { engine } = store;
  const slots = limitOf({ algorithm: 'concurrency', maxConcurrent: 1, staleAfter: '1 min' });
  const asked = question([bound(limit), bound(slots)]);
  const result = await engine.decide({ tenant, questions: [asked] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error('not decided');
  expect(answer.allowed).toBe(true);
  const ticket = answer.ticket ?? '';
  expect(await engine.heartbeat(tenant, { ticket, ttlMs: 1000 })).toMatchObject({ kind: 'held' });
  expect(await engine.release(tenant, ticket)).toBe('released');
  expect(await engine.release(tenant, ticket)).toBe('gone');
  const refund = { id: asked.id, chargedAtUs: answer.nowUs, limits: [bound(limit)] };
  expect(await engine.refund(tenant, refund)).toBe(true);
  expect(await engine.refund(tenant, refund)).toBe(false);
  store.close();
});

async function failureOf(work: Promise<unknown>): Promise<StoreFailure> {
  const failure = await work.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(failure instanceof StoreFailure)) throw failure;
  return failure;
}
