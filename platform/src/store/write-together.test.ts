import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { writeTogether } from './write-together.ts';

const small = 'a'.repeat(100);
/** As long as a list of fifty checks. */
const large = 'b'.repeat(3500);

/** A connection, and the lengths of what was sent, write by write. */
function connected() {
  const writes: number[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      writes.push(text.length);
      done();
    },
    writev: (chunks: readonly { readonly chunk: string }[], done) => {
      writes.push(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0));
      done();
    },
  });
  const redis = Object.assign(new EventEmitter(), { stream });
  // All that is used of a client here.
  writeTogether(redis as unknown as Redis);
  redis.emit('connect');
  return { stream, writes };
}

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

it('what is sent in a turn goes in one write', async () => {
  const { stream, writes } = connected();
  for (let sent = 0; sent < 10; sent += 1) stream.write(small);
  expect(writes).toEqual([]);
  await endOfTurn();
  expect(writes).toEqual([10 * small.length]);
});

it('what is enough to begin with is not held back', async () => {
  const { stream, writes } = connected();
  stream.write(large);
  stream.write(large);
  expect(writes).toEqual([large.length, large.length]);
  await endOfTurn();
  expect(writes).toHaveLength(2);
});

it('many small ones are enough together', () => {
  const { stream, writes } = connected();
  for (let sent = 0; sent < 40; sent += 1) stream.write(small);
  expect(writes).toEqual([31 * small.length]);
});

it('what comes after a large one is sent in the same turn, and each turn anew', async () => {
  const { stream, writes } = connected();
  stream.write(large);
  stream.write(small);
  stream.write(small);
  expect(writes).toEqual([large.length]);
  await endOfTurn();
  expect(writes).toEqual([large.length, 2 * small.length]);
  stream.write(small);
  await endOfTurn();
  expect(writes).toEqual([large.length, 2 * small.length, small.length]);
});

it('a connection that ends sends what was held', async () => {
  const { stream, writes } = connected();
  stream.write(small);
  stream.end();
  await once(stream, 'finish');
  expect(writes).toEqual([small.length]);
});
