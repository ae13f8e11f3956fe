// The example as a reader runs it, with the real service: whoever dies or goes away, what Sluice
// counted is what the model bills.

import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, complete, type Got } from './llm-client.ts';
import { holdMs, LlmRig, perUser, tokenMs } from './llm-rig.ts';
import { storm } from './llm-storm.ts';

const within = { timeout: 20_000, interval: 25 };

describe('the LLM proxy', () => {
  const rig = new LlmRig();
  let calls = 0;

  // Five programs start one after the other, maybe on a busy machine.
  beforeAll(() => rig.start('PostgreSQL, Redis'), 150_000);
  afterAll(() => rig.stop());

  function callOf(user: string, fields: Partial<Call> = {}): Call {
    calls += 1;
    const requestId = `request-${calls}`;
    return { user, requestId, prompt: 'where does it go', maxTokens: 12, ...fields };
  }

  async function ask(call: Call): Promise<Got> {
    return complete(await rig.proxyUrl, call);
  }

  /** To the token, once nothing runs, nothing is owed and no hold is left over. */
  async function expectBooksToAgree(): Promise<void> {
    await expect.poll(() => rig.owed(), within).toBe(0);
    await expect.poll(async () => (await rig.used()) - (await rig.billed()), within).toBe(0);
    expect((await rig.books()).filter(({ state }) => state === 'running')).toEqual([]);
  }

  /** Kills the proxy when so many tokens have come. */
  async function killAt(count: number, call: Call): Promise<void> {
    let killed: Promise<void> | undefined;
    const onToken = (at: number) => {
      if (at === count) killed = rig.killProxy();
      return false;
    };
    expect((await ask({ ...call, onToken })).done).toBeNull();
    await killed;
  }

  it('charges what the model bills, with 40 streams, clients that hang up and two kills', async () => {
    const { leftBehind, hungUp } = await storm(rig);
    await expectBooksToAgree();
    expect(leftBehind).toHaveLength(2);
    for (const count of leftBehind) expect(count).toBeGreaterThan(0);
    expect(hungUp).toBeGreaterThan(0);
    const states = (await rig.books()).map(({ state }) => state);
    expect(states).toContain('complete');
    expect(states).toContain('stopped');
  });

  it('answers a retry as before and charges it once', async () => {
    const call = callOf('ann');
    const first = await ask(call);
    expect(first).toMatchObject({ status: 200, replayed: false, done: { state: 'complete' } });
    expect(first.tokens).toHaveLength(first.done?.completion_tokens ?? 0);
    const used = await rig.used();
    expect(await ask(call)).toEqual({ ...first, replayed: true });
    expect(await rig.used()).toBe(used);
    const another = await ask({ ...call, user: 'bob' });
    expect(another).toMatchObject({ replayed: false, done: { state: 'complete' } });
    await expectBooksToAgree();
  });

  it('refuses a retry while the first is being answered, and one that asks for something else', async () => {
    const call = callOf('ann');
    const meanwhile: Promise<Got>[] = [];
    const onToken = () => {
      if (meanwhile.length === 0) meanwhile.push(ask(call));
      return false;
    };
    expect((await ask({ ...call, onToken })).done).not.toBeNull();
    expect(await meanwhile[0]).toMatchObject({ status: 409, retryAfter: '1' });
    expect((await ask({ ...call, maxTokens: 13 })).status).toBe(422);
    await expectBooksToAgree();
  });

  it('refuses what is not left with 429 and Retry-After while a stream holds it, and keeps it held', async () => {
    const isLong = (count: number) => count * tokenMs > 2 * holdMs;
    const second: Promise<Got>[] = [];
    const first = await ask(
      callOf('cyd', {
        maxTokens: 4000,
        onToken: (count) => {
          if (isLong(count) && second.length === 0) {
            second.push(ask(callOf('cyd', { maxTokens: 1000 })));
          }
          return isLong(count - 10);
        },
      }),
    );
    expect(first.done).toBeNull();
    const refused = await second[0];
    expect(refused).toMatchObject({ status: 429, error: { limit: 'tokens-per-user' } });
    expect(refused?.error?.message).toContain(`tokens-per-user allows ${perUser} tokens per day`);
    expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
    await expectBooksToAgree();
    // What was held for the rest of it is given back.
    const hangUp = () => true;
    const third = await ask(callOf('cyd', { maxTokens: 4000, onToken: hangUp }));
    expect(third.status).toBe(200);
    const tooMany = callOf('cyd', { maxTokens: 4096, prompt: 'word '.repeat(1000).trim() });
    expect(await ask(tooMany)).toMatchObject({ status: 429, retryAfter: null });
    await expectBooksToAgree();
  });

  it('charges after the hold has run out too', async () => {
    const before = await rig.used();
    await killAt(5, callOf('dan', { maxTokens: 100 }));
    await expect.poll(() => rig.used(), within).toBe(before);
    await rig.startProxy();
    expect(rig.said).toContain('after the hold had run out');
    expect(await rig.used()).toBeGreaterThan(before + 5);
    await expectBooksToAgree();
  });

  it('goes on where a process died between reserving and noting it', async () => {
    const call = callOf('eve');
    await rig.reserve(call);
    expect(await ask(call)).toMatchObject({
      replayed: false,
      done: { state: 'complete' },
    });
    await expectBooksToAgree();
    const late = callOf('eve');
    const before = await rig.used();
    await rig.reserve(late);
    await expect.poll(() => rig.used(), within).toBe(before);
    expect(await ask(late)).toMatchObject({ status: 409, tokens: [] });
    await expectBooksToAgree();
  });

  it('settles once where a process died before it noted that, or in the middle of a line', async () => {
    const { tokens } = await ask(callOf('fay'));
    expect(tokens).not.toEqual([]);
    await rig.killProxy();
    const lines = (await readFile(rig.journalPath, 'utf8')).split('\n');
    const begun = lines.findLast((line) => line.startsWith('{"begun"')) ?? '';
    await writeFile(rig.journalPath, `${begun}\n${begun.slice(0, 20)}`);
    await rig.startProxy();
    expect(rig.said).toContain('left behind: 1');
    expect(rig.said).toContain('as was done before');
    await expectBooksToAgree();
  });

  it('settles once, in the end, when Redis carries it out and its answers get lost', async () => {
    const { redis } = rig;
    if (!redis) throw new Error('no store to fail');
    const call = callOf('gus');
    const onToken = () => {
      redis.fault = { kind: 'reset_on_reply' };
      return false;
    };
    const asked = ask({ ...call, onToken });
    await rig.untilSaid(new RegExp(`settling ${call.requestId}, again`));
    const refused = await ask(callOf('gus'));
    redis.fault = { kind: 'pass' };
    expect(refused).toMatchObject({ status: 429, error: { reason: 'unavailable' } });
    expect(await asked).toMatchObject({ done: { state: 'complete' } });
    await expectBooksToAgree();
  });
});

describe('the LLM proxy, on what is built in', () => {
  const rig = new LlmRig();
  beforeAll(() => rig.start('embedded, memory'), 150_000);
  afterAll(() => rig.stop());

  it('is shown by one command', async () => {
    const show = rig.runShow();
    expect(await show.ended).toEqual({ code: 0, signal: null });
    expect(show.output).toMatch(/proxy +completion-3: reserved 66 tokens/);
    expect(show.output).toMatch(/client +429, Retry-After: \d+: tokens-per-user allows 300/);
    expect(show.output).toContain('The books agree');
  });
});
