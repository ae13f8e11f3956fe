import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, it } from 'vitest';
import { WeakMemo } from './weak-memo.ts';

let collect: () => void;
beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
});

it('makes what has a name once, as long as somebody holds it', async () => {
  const memo = new WeakMemo<{ n: number }>();
  const held = memo.of('a', () => ({ n: 1 }));
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(memo.of('a', () => ({ n: 2 }))).toBe(held);
  expect(memo.of('b', () => ({ n: 3 }))).toEqual({ n: 3 });
});

it('keeps nothing of what nobody holds, not even its name', async () => {
  const memo = new WeakMemo<{ n: number }>();
  const held = memo.of('held', () => ({ n: 0 }));
  for (let at = 1; at <= 100; at += 1) memo.of(`let go ${at}`, () => ({ n: at }));
  expect(memo.size).toBe(101);
  await expect
    .poll(() => {
      collect();
      return memo.size;
    })
    .toBe(1);
  expect(memo.of('let go 7', () => ({ n: 8 }))).toEqual({ n: 8 });
  expect(memo.of('held', () => ({ n: 9 }))).toBe(held);
});
