const subjectCount = 10_000;
const tenantCount = 100;
const turns = 1 << 16;

export type Caller = { readonly tenant: string; readonly subject: string };

/** Everyone who calls, each once. */
export const callers: readonly Caller[] = Array.from({ length: subjectCount }, (_, at) => ({
  tenant: `tenant-${at % tenantCount}`,
  subject: `user-${String(at).padStart(5, '0')}`,
}));

/**
 * Callers come in no order, the same in every run: in a circle every cache that holds one too few
 * would hold none of use.
 */
const order: readonly Caller[] = shuffled();

function shuffled(): Caller[] {
  let seed = 20_260_115;
  return Array.from({ length: turns }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return callers[Math.floor((seed / 2 ** 32) * subjectCount)] as Caller;
  });
}

/** Whose turn it is, for one contender. */
export function takeTurns(): () => Caller {
  let turn = 0;
  return () => order[turn++ & (turns - 1)] as Caller;
}

/** Everyone has called once: no round is spent on making counters. */
export async function callOnce(call: (caller: Caller) => Promise<unknown>): Promise<void> {
  const waiting = [...callers];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await call(next);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}
