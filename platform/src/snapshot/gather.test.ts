import { describe, expect, it } from 'vitest';
import { Gather } from './gather.ts';

/** What was read, in which parts; each answered when the test says so. */
function rigOf() {
  const reads: { readonly ids: readonly string[]; readonly answer: (error?: Error) => void }[] = [];
  const gather = new Gather<string>(
    (ids) =>
      new Promise((resolve, reject) => {
        const found = ids.filter((id) => !id.startsWith('no'));
        const answer = (error?: Error) =>
          error ? reject(error) : resolve(new Map(found.map((id) => [id, `read ${id}`])));
        reads.push({ ids, answer });
      }),
  );
  return { gather, reads };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));
const settled = async () => {
  for (let at = 0; at < 8; at += 1) await turn();
};
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

describe('what many ask for one by one', () => {
  it('is read at once, and each is told of its own', async () => {
    const { gather, reads } = rigOf();
    const asked = ['a', 'b', 'none', 'a'].map((id) => gather.of(id));
    await settled();
    expect(reads.map(({ ids }) => ids)).toEqual([['a', 'b', 'none']]);
    reads[0]?.answer();
    expect(await Promise.all(asked)).toEqual(['read a', 'read b', null, 'read a']);
  });

  it('is read after it was asked for, also when the same is being read', async () => {
    const { gather, reads } = rigOf();
    const before = gather.of('a');
    await settled();
    const after = gather.of('a');
    await settled();
    expect(reads.map(({ ids }) => ids)).toEqual([['a'], ['a']]);
    for (const { answer } of reads) answer();
    expect(await Promise.all([before, after])).toEqual(['read a', 'read a']);
  });

  it('waits in bounded parts while much is under way', async () => {
    const { gather, reads } = rigOf();
    const asked = many(450, 'a').map((id) => gather.of(id));
    await settled();
    expect(reads.map(({ ids }) => ids.length)).toEqual([100, 100, 100, 100]);
    reads[0]?.answer();
    await settled();
    expect(reads.map(({ ids }) => ids.length)).toEqual([100, 100, 100, 100, 50]);
    for (const { answer } of reads) answer();
    expect(new Set(await Promise.all(asked)).size).toBe(450);
  });

  it('fails together, and what is asked for later does not', async () => {
    const { gather, reads } = rigOf();
    const failing = Promise.allSettled(['a', 'b'].map((id) => gather.of(id)));
    await settled();
    reads[0]?.answer(new Error('away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = gather.of('a');
    await settled();
    reads[1]?.answer();
    expect(await again).toBe('read a');
  });
});
