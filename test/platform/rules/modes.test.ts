import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from './window.ts';

onEveryStack('modes', (rig) => {
  const resource = 'GET:/a';
  const ask = (key: string, subject = 'me') => rig.client.check(key, { resource, subject });
  const set = (fields: object) => rig.client.change('PUT', 'modes', fields);
  const modeOf = async (key: string) => (await ask(key)).body.mode as string | null;

  it('are changed at run time, in the order of limit, policy or resource, tenant', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 1000)] });
    expect(await modeOf(key)).toBe('enforce');
    await set({ scope: 'tenant', tenant_id: id, mode: 'shadow' });
    expect(await modeOf(key)).toBe('shadow');
    const ofResource = await set({ scope: 'resource', tenant_id: id, resource, mode: 'warn' });
    expect(await modeOf(key)).toBe('warn');
    const ofLimit = await set({ scope: 'limit', tenant_id: id, limit: 'calls', mode: 'on' });
    expect(await modeOf(key)).toBe('enforce');
    await rig.client.change('DELETE', `modes/${ofLimit['id']}`);
    expect(await modeOf(key)).toBe('warn');
    await set({ scope: 'resource', tenant_id: id, resource, mode: 'off' });
    expect((await ask(key)).body.limits).toEqual([]);
    await rig.client.change('DELETE', `modes/${ofResource['id']}`);
    expect(await modeOf(key)).toBe('shadow');
  });

  it('of a policy are those of the limits that policies add', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('plan', 1000)] });
    const policy = await rig.client.change('POST', 'policies', {
      tenant_id: id,
      resource,
      mode: 'shadow',
      limits: [window('added', 1000)],
    });
    const modes = async () =>
      ((await ask(key)).body.limits as { mode: string }[]).map(({ mode }) => mode);
    expect(await modes()).toEqual(['enforce', 'shadow']);
    await set({ scope: 'policy', policy_id: policy['id'], mode: 'warn' });
    expect(await modes()).toEqual(['enforce', 'warn']);
  });

  it('of the platform reach every tenant that says nothing else', async () => {
    const first = await rig.client.makeTenant();
    const second = await rig.client.makeTenant({ limits: [window('own', 10, { mode: 'warn' })] });
    const entry = await set({ scope: 'platform', mode: 'monitor' });
    await rig.client.published();
    expect([await modeOf(first.key), await modeOf(second.key)]).toEqual(['shadow', 'warn']);
    await rig.client.change('DELETE', `modes/${entry['id']}`);
    await rig.client.published();
    expect(await modeOf(first.key)).toBe('enforce');
  });

  it('warn with the day that enforcement begins, and enforce from then on by themselves', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 1)] });
    const enforceFrom = new Date(rig.nowMs() + 1500);
    await set({
      scope: 'tenant',
      tenant_id: id,
      mode: 'warn',
      enforce_from: enforceFrom.toISOString(),
    });
    await ask(key);
    const warned = await ask(key);
    expect(warned.status).toBe(200);
    expect(warned.body.would_block).toEqual(['calls']);
    expect(warned.headers.get('x-ratelimit-warning')).toBe(
      `calls: 1 per 10 days, used 1, enforced from ${enforceFrom.toISOString().slice(0, 10)}`,
    );
    await sleep(enforceFrom.getTime() - rig.nowMs() + 20);
    const refused = await ask(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-warning')).toBeNull();
  });

  it('of one limit in shadow deny exactly as often as it would enforced', async () => {
    const enforced = await rig.client.makeTenant({ limits: [window('w', 20)] });
    const watched = await rig.client.makeTenant({
      limits: [window('w', 20, { mode: 'shadow' })],
    });
    const outcome = { denied: 0, would: 0 };
    for (let call = 0; call < 40; call += 1) {
      const question = { resource, subject: 'me', cost: 1 + (call % 4) };
      const hard = await rig.client.check(enforced.key, question);
      const soft = await rig.client.check(watched.key, question);
      expect(soft.body.would_block).toEqual(hard.status === 429 ? ['w'] : []);
      outcome.denied += Number(hard.status === 429);
      outcome.would += (soft.body.would_block as string[]).length;
    }
    expect(outcome.would).toBe(outcome.denied);
    expect(outcome.denied).toBeGreaterThan(10);
  });

  it('let a candidate run in shadow beside the limit that is enforced', async () => {
    const limits = [window('now', 5), window('candidate', 2, { mode: 'shadow' })];
    const { key } = await rig.client.makeTenant({ limits });
    const seen: [number, unknown][] = [];
    for (let call = 0; call < 6; call += 1) {
      const { status, body } = await ask(key);
      seen.push([status, body.would_block]);
    }
    expect(seen).toEqual([
      [200, []],
      [200, []],
      [200, ['candidate']],
      [200, ['candidate']],
      [200, ['candidate']],
      [429, ['candidate']],
    ]);
  });

  it('of a guard are lowered by name and on purpose only', async () => {
    const guard = window('login', 1, { security: true });
    const { id, key } = await rig.client.makeTenant({ limits: [guard] });
    await set({ scope: 'tenant', tenant_id: id, mode: 'off' });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 429]);
    const lowered = { scope: 'limit', tenant_id: id, limit: 'login', mode: 'shadow' };
    expect((await rig.client.admin('PUT', 'modes', lowered)).status).toBe(400);
    await set({ ...lowered, confirm: true });
    expect((await ask(key)).status).toBe(200);
  });
});
