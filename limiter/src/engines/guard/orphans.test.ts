import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecideCall, DecideResult, Question } from '../../core/engine.ts';
import type { LimitInput } from '../../core/limit-input.ts';
import { StoreFailure } from '../../core/errors.ts';
import { parseLimit } from '../../core/parse-limit.ts';
import { Orphans } from './orphans.ts';

const tenant = { id: 'a-tenant' };
const slots = bound({ algorithm: 'concurrency', maxConcurrent: 1, staleAfter: '1 min' });
const rate = bound({ algorithm: 'fixed_window', limit: 5, window: '1 s' });
const reserve = { ttlMs: 1000, onExpiry: 'refund' } as const;
const idempotency = { scope: 's', key: 'k', fingerprint: 'f', ttlMs: 1000 };
const answered: DecideResult = { kind: 'answered', answers: [] };

function bound(input: LimitInput) {
  const limit = parseLimit(input, { definedBy: 'test', field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return { limit, parts: [], cost: 1 };
}

function callOf(...questions: (Partial<Question> & Pick<Question, 'limits'>)[]): DecideCall {
  return { tenant, questions: questions.map((one, at) => ({ id: `q${at}`, peek: false, ...one })) };
}

/** Notes who is abandoned, and fails as often as it is told to. */
function store(failures = 0) {
  const abandoned: string[] = [];
  let left = failures;
  const abandon = async (_tenant: unknown, { id }: Question) => {
    if (left > 0) {
      left -= 1;
      throw new StoreFailure('unreachable');
    }
    abandoned.push(id);
  };
  return { abandoned, orphans: new Orphans({ abandon }) };
}

const lost = () => Promise.reject(new StoreFailure('unreachable'));
const never = () => new Promise<never>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('what a call without an answer may have taken', () => {
  it('is given back once when the answer comes after all', async () => {
    const { abandoned, orphans } = store();
    orphans.adopt(callOf({ limits: [slots] }), Promise.resolve(answered));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(abandoned).toEqual(['q0']);
    expect(orphans.count).toBe(0);
  });

  it('is given back twice when no answer comes: the call may be carried out in between', async () => {
    const { abandoned, orphans } = store();
    orphans.adopt(callOf({ limits: [rate], reserve }), lost());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(abandoned).toEqual(['q0', 'q0']);
    expect(orphans.count).toBe(0);
  });

  it('is tried again while the store is away', async () => {
    const { abandoned, orphans } = store(2);
    orphans.adopt(callOf({ limits: [slots] }), lost());
    await vi.advanceTimersByTimeAsync(1500);
    expect(abandoned).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(abandoned).toEqual(['q0', 'q0']);
  });

  it('is given back when a store that said nothing for long answers at last', async () => {
    let answer = (_result: DecideResult) => {};
    const work = new Promise<DecideResult>((resolve) => {
      answer = resolve;
    });
    const { abandoned, orphans } = store(5);
    orphans.adopt(callOf({ limits: [slots] }), work);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(abandoned).toEqual([]);
    answer(answered);
    await vi.advanceTimersByTimeAsync(10);
    expect(abandoned).toEqual(['q0']);
  });

  it('is nothing for plain charges, peeks, and where a retry is given the same', async () => {
    const { abandoned, orphans } = store();
    const call = callOf(
      { limits: [rate] },
      { limits: [slots], peek: true },
      { limits: [slots], idempotency },
      { limits: [rate], reserve, idempotency },
    );
    orphans.adopt(call, never());
    expect(orphans.count).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(abandoned).toEqual([]);
  });

  it('is bounded in number', async () => {
    const { orphans } = store();
    const many = callOf(...Array.from({ length: 6000 }, () => ({ limits: [slots] })));
    orphans.adopt(many, never());
    orphans.adopt(many, never());
    expect(orphans.count).toBe(6000);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(orphans.count).toBe(0);
  });
});
