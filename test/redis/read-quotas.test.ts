import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { periodAt } from '../../limiter/src/core/calendar/index.ts';
import type { Question, QuotaSeed } from '../../limiter/src/core/engine.ts';
import { RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { type OpenEngine, openEngine } from '../support/engines.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const limit = limitOf({ algorithm: 'quota', limit: 100, period: 'hour' });

describe('what is used of quotas, for another store to go on from', () => {
  let opened: OpenEngine;

  beforeAll(async () => {
    opened = await openEngine('redis');
  });
  afterAll(() => opened.close());

  const engine = () => {
    if (!(opened.engine instanceof RedisEngine)) throw new Error('not on Redis');
    return opened.engine;
  };
  const period = () => {
    if (limit.numbers.algorithm !== 'quota') throw new Error('not a quota');
    return periodAt(limit.numbers.calendar, opened.clock.nowUs);
  };
  const ask = (id: string, cost: number, more: Partial<Question> = {}) =>
    engine().decide({ tenant: { id }, questions: [question([bound(limit, cost)], more)] });
  const saved = (subject = 'a-subject'): QuotaSeed => ({
    counter: engine().counterName(bound(limit, 1, [subject])),
    period: period(),
    used: 1,
  });
  const usedBy = async (id: string) =>
    (await engine().readQuotas({ id }, [saved('nobody'), saved()])).map(({ used }) => used);

  it('is what was charged, with what is reserved', async () => {
    await ask('one', 5);
    await ask('one', 3, { reserve: { ttlMs: 1000, onExpiry: 'refund' } });
    await ask('one', 7, { reserve: { ttlMs: 1000, onExpiry: 'keep' } });
    await ask('one', 11, { reserve: { ttlMs: 5000, onExpiry: 'refund' } });
    expect(await engine().readQuotas({ id: 'one' }, [saved('nobody'), saved()])).toEqual([
      { counter: saved().counter, period: period(), used: 26 },
    ]);
    // One has run out, one was to be kept, one is open.
    opened.clock.advanceMs(1000);
    expect(await usedBy('one')).toEqual([23]);
    expect(await usedBy('one')).toEqual([23]);
    expect(await usedBy('another')).toEqual([]);
  });

  it('is nothing of a period that is over', async () => {
    await ask('two', 5);
    expect(await usedBy('two')).toEqual([5]);
    opened.clock.advanceMs(3_600_000);
    expect(await usedBy('two')).toEqual([]);
  });
});
