import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Work that ends when it is told to. */
function tracked(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (name: string, checks: number, tenant = 'acme') =>
    turns.take(tenant, checks, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (error) => (error ? reject(error) : resolve(name))),
      );
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    // As many turns of promises as it takes to let the next one in.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { begun, take, end };
}

describe('lists of one tenant', () => {
  it('go at once while there is room, then in the order in which they came', async () => {
    const { begun, take, end } = tracked(new Turns(100));
    const all = ['a', 'b', 'c', 'd'].map((name) => take(name, 50));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('let none pass that came later, though it would fit', async () => {
    const { begun, take, end } = tracked(new Turns(100));
    void take('a', 60);
    void take('large', 80);
    void take('small', 10);
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'large', 'small']);
  });

  it('that are larger than the bound go alone', async () => {
    const { begun, take, end } = tracked(new Turns(100));
    void take('huge', 1000);
    void take('next', 1);
    expect(begun).toEqual(['huge']);
    await end('huge');
    expect(begun).toEqual(['huge', 'next']);
  });

  it('count as one where they are empty', async () => {
    const { begun, take, end } = tracked(new Turns(1));
    void take('empty', 0);
    void take('a', 1);
    void take('b', 1);
    expect(begun).toEqual(['empty']);
    await end('empty');
    expect(begun).toEqual(['empty', 'a']);
    await end('a');
    expect(begun).toEqual(['empty', 'a', 'b']);
  });

  it('make room also when they fail', async () => {
    const { begun, take, end } = tracked(new Turns(100));
    const failed = take('a', 100).catch((error: Error) => error.message);
    void take('b', 100);
    await end('a', new Error('broken'));
    expect(await failed).toBe('broken');
    expect(begun).toEqual(['a', 'b']);
    const thrown = new Turns(1).take('acme', 1, () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
  });
});

it('tenants do not wait for each other', async () => {
  const { begun, take } = tracked(new Turns(100));
  void take('a', 100, 'acme');
  void take('waits', 100, 'acme');
  void take('b', 100, 'globex');
  expect(begun).toEqual(['a', 'b']);
});

it('never lets more under way than fit, and lets all of them go, whatever they are', async () => {
  const turns = new Turns(500);
  let underWay = 0;
  let most = 0;
  let done = 0;
  const sizes = Array.from({ length: 400 }, (_, at) => 1 + ((at * 7919) % 300));
  await Promise.all(
    sizes.map((checks, at) =>
      turns.take(`t${at % 2}`, checks, async () => {
        if (at % 2 === 0) underWay += checks;
        most = Math.max(most, underWay);
        for (let turn = 0; turn < at % 5; turn += 1) await Promise.resolve();
        if (at % 2 === 0) underWay -= checks;
        done += 1;
      }),
    ),
  );
  expect(done).toBe(sizes.length);
  expect(underWay).toBe(0);
  expect(most).toBeLessThanOrEqual(500);
  expect(most).toBeGreaterThan(250);
});
