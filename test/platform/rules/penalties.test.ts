import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Answer } from '../rig/client.ts';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from './window.ts';

onEveryStack('penalties and counters', (rig) => {
  const resource = 'GET:/a';
  const ask = (key: string, more: object = {}) =>
    rig.client.check(key, { resource, subject: 'me', ...more });
  const reasonIn = ({ body }: Answer) => (body.blocked_by as { reason: string } | null)?.reason;
  const counters = (verb: string, fields: object) =>
    rig.client.change('POST', `counters/${verb}`, fields);

  it('last longer on each repetition, up to the longest', async () => {
    const grows = { block_for_seconds: 1, block_growth: 3, block_max_seconds: 4 };
    const { id, key } = await rig.client.makeTenant({ limits: [window('w', 1, grows)] });
    await ask(key);
    for (const lengthMs of [1000, 3000, 4000]) {
      // At once when the last is over: a clean time as long as that one would begin anew.
      let askedMs = rig.nowMs();
      while (reasonIn(await ask(key)) === 'penalty') {
        await sleep(20);
        askedMs = rig.nowMs();
      }
      const answeredMs = rig.nowMs();
      const [seen] = (await counters('inspect', { tenant_id: id, subject: 'me', resource }))
        .limits as { blocked_until: number }[];
      const untilMs = (seen?.blocked_until ?? 0) * 1000;
      expect(untilMs).toBeGreaterThanOrEqual(askedMs + lengthMs);
      // Told in whole seconds, rounded up.
      expect(untilMs).toBeLessThan(answeredMs + lengthMs + 1000);
    }
  }, 30_000);

  it('end when somebody ends them', async () => {
    const punished = {
      name: 'burst',
      algorithm: 'fixed_window',
      limit: 1,
      window_seconds: 1,
      block_for_seconds: 60,
    };
    const { id, key } = await rig.client.makeTenant({ limits: [punished] });
    const refused = async () => {
      for (;;) {
        const { status, body } = await ask(key);
        if (status === 429) return body;
      }
    };
    const first = await refused();
    expect(first.retry_after_ms).toBeGreaterThan(59_000);
    expect((await ask(key)).body.blocked_by).toMatchObject({ reason: 'penalty' });
    const whose = { tenant_id: id, subject: 'me', resource };
    const [seen] = (await counters('inspect', whose)).limits as { blocked_until: number }[];
    expect(Math.abs((seen?.blocked_until ?? 0) - rig.nowMs() / 1000 - 60)).toBeLessThan(5);
    expect(await counters('unblock', whose)).toMatchObject({ unblocked: 1 });
    expect(await counters('unblock', whose)).toMatchObject({ unblocked: 0 });
    await sleep(1000);
    expect((await ask(key)).status).toBe(200);
    const [entry] = (await rig.client.change('GET', `audit?tenant_id=${id}&noun=counters`))
      .items as { action: string; after: object }[];
    const subject_hash = expect.stringMatching(/^[\w-]{22}$/);
    expect(entry).toMatchObject({ action: 'unblock', after: { subject_hash } });
  });

  it('are ended for one subject alone', async () => {
    const limits = [window('w', 1, { block_for_seconds: 600 })];
    const { id, key } = await rig.client.makeTenant({ limits });
    for (const subject of ['me', 'you']) {
      await ask(key, { subject });
      expect((await ask(key, { subject })).status).toBe(429);
    }
    await counters('unblock', { tenant_id: id, subject: 'me', resource, limit: 'w' });
    expect((await ask(key)).body.blocked_by).toMatchObject({ reason: 'exceeded' });
    expect((await ask(key, { subject: 'you' })).body.blocked_by).toMatchObject({
      reason: 'penalty',
    });
  });

  it('look at counters, and set them back', async () => {
    const limits = [window('w', 2), window('all', 10, { per: ['tenant'] })];
    const { id, key } = await rig.client.makeTenant({ limits });
    for (let call = 0; call < 3; call += 1) await ask(key);
    const used = async (fields: object) =>
      ((await counters('inspect', { tenant_id: id, ...fields })).limits as { used: number }[]).map(
        (one) => one.used,
      );
    expect(await used({ subject: 'me', resource })).toEqual([2, 2]);
    expect(await used({})).toEqual([null, 2]);
    const whose = { tenant_id: id, subject: 'me', resource, limit: 'w' };
    expect(await counters('reset', whose)).toMatchObject({ reset: ['w'] });
    expect(await used({ subject: 'me', resource })).toEqual([0, 2]);
    expect((await ask(key)).status).toBe(200);
  });

  it.each([
    ['inspect', { tenant_id: 'none' }, 404],
    ['reset', {}, 400],
    ['reset', { limit: 'nonsense' }, 400],
    ['reset', { limit: 'w' }, 400],
    ['unblock', { subject: '' }, 400],
    ['unblock', { unknown: 1 }, 400],
  ])('%s of %j is %d', async (verb, fields, status) => {
    const { id } = await rig.client.makeTenant({ limits: [window('w', 2)] });
    const answer = await rig.client.admin('POST', `counters/${verb}`, {
      tenant_id: id,
      ...fields,
    });
    expect(answer.status).toBe(status);
  });
});
