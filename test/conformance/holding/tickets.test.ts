import { describe, expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, slots } from '../algorithms.ts';
import { onEveryEngine, shown } from '../rig.ts';

onEveryEngine('tickets of concurrency limits', (rig) => {
  const two = limitOf({ ...slots, maxConcurrent: 2 });
  const enter = async (limit = two) => {
    const answer = await rig.ask(bound(limit));
    expect(answer.allowed).toBe(true);
    return answer.ticket ?? '';
  };
  const isFull = async (limit = two) => !(await rig.ask(bound(limit))).allowed;
  const release = (ticket: string) => rig.engine.release(rig.tenant, ticket);
  const renew = (ticket: string, ttlMs: number) =>
    rig.engine.heartbeat(rig.tenant, { ticket, ttlMs });

  it('let in as many open calls as there are slots, and no more', async () => {
    await enter();
    await enter();
    const third = await rig.ask(bound(two));
    expect(third).toMatchObject({ allowed: false, ticket: null });
    expect(shown(third, bound(two))).toMatchObject({ used: 2, remaining: 0 });
  });

  it('give their slot back when released', async () => {
    const first = await enter();
    await enter();
    expect(await release(first)).toBe('released');
    await enter();
    expect(await isFull()).toBe(true);
  });

  it('are released once: a second release frees nobody else’s slot', async () => {
    const first = await enter();
    await enter();
    expect(await release(first)).toBe('released');
    await enter();
    expect(await release(first)).toBe('gone');
    expect(await isFull()).toBe(true);
  });

  it('give their slot back by themselves when stale, not a microsecond before', async () => {
    const first = await enter();
    rig.clock.advanceMs(1000);
    await enter();
    rig.clock.advanceUs(9_000_000 - 1);
    expect(await isFull()).toBe(true);
    rig.clock.advanceUs(1);
    expect(await release(first)).toBe('gone');
    await enter();
    expect(await isFull()).toBe(true);
  });

  it('are held on by heartbeats', async () => {
    const first = await enter();
    await enter();
    for (let beat = 0; beat < 6; beat += 1) {
      rig.clock.advanceMs(8000);
      expect(await renew(first, 10_000)).toMatchObject({ kind: 'held' });
    }
    await enter();
    expect(await isFull()).toBe(true);
    expect(await release(first)).toBe('released');
  });

  it('are never held on for longer than a stale ticket lives', async () => {
    const first = await enter();
    expect(await renew(first, 3_600_000)).toMatchObject({ kind: 'held' });
    rig.clock.advanceMs(10_000);
    expect(await renew(first, 10_000)).toEqual({ kind: 'gone' });
    await enter();
    await enter();
  });

  it('may be held for a shorter time', async () => {
    const first = await enter();
    await enter();
    expect(await renew(first, 500)).toMatchObject({ kind: 'held' });
    rig.clock.advanceMs(500);
    await enter();
    expect(await isFull()).toBe(true);
  });

  it('are not brought back by a heartbeat after they went stale', async () => {
    const first = await enter();
    rig.clock.advanceMs(10_000);
    expect(await renew(first, 10_000)).toEqual({ kind: 'gone' });
    expect((await rig.look(bound(two))).used).toBe(0);
  });

  it('are not brought back by a heartbeat after they were released', async () => {
    const first = await enter();
    await release(first);
    expect(await renew(first, 10_000)).toEqual({ kind: 'gone' });
    expect((await rig.look(bound(two))).used).toBe(0);
  });

  describe('of several limits', () => {
    const narrow = limitOf({ ...slots, name: 'narrow', maxConcurrent: 1 });
    const wide = limitOf({ ...slots, name: 'wide', maxConcurrent: 3, staleAfter: '30 s' });

    it('are one for all of them, and give back all slots at once', async () => {
      const { ticket } = await rig.ask(bound(narrow), bound(wide), bound(limitOf(rated.quota)));
      expect((await rig.look(bound(narrow))).used).toBe(1);
      expect((await rig.look(bound(wide))).used).toBe(1);
      expect(await release(ticket ?? '')).toBe('released');
      expect((await rig.look(bound(narrow))).used).toBe(0);
      expect((await rig.look(bound(wide))).used).toBe(0);
      expect((await rig.look(bound(limitOf(rated.quota)))).used).toBe(1);
    });

    it('go stale in each by its own time, and are renewed by it', async () => {
      const { ticket } = await rig.ask(bound(narrow), bound(wide));
      expect(await renew(ticket ?? '', 60_000)).toMatchObject({ kind: 'held' });
      rig.clock.advanceMs(10_000);
      expect((await rig.look(bound(narrow))).used).toBe(0);
      expect((await rig.look(bound(wide))).used).toBe(1);
      expect(await renew(ticket ?? '', 60_000)).toMatchObject({ kind: 'held' });
      expect((await rig.look(bound(narrow))).used).toBe(0);
      rig.clock.advanceMs(30_000);
      expect((await rig.look(bound(wide))).used).toBe(0);
    });

    it('take no slot when one limit refuses', async () => {
      await enter(narrow);
      expect((await rig.ask(bound(wide), bound(narrow))).allowed).toBe(false);
      expect((await rig.look(bound(wide))).used).toBe(0);
    });
  });

  it('are not given where no slot was taken', async () => {
    expect((await rig.ask(bound(limitOf(rated.fixed_window)))).ticket).toBeNull();
    const peek = await rig.ask(bound(two, 0));
    expect(peek.ticket).toBeNull();
    const beside = await rig.ask(bound(two, 0), bound(limitOf(rated.fixed_window)));
    expect(beside).toMatchObject({ allowed: true, ticket: null });
    expect((await rig.look(bound(two))).used).toBe(0);
  });

  it('are worth nothing to another tenant', async () => {
    const ticket = await enter();
    const other = rig.elsewhere();
    expect(await rig.engine.release(other.tenant, ticket)).toBe('unknown');
    expect(await rig.engine.heartbeat(other.tenant, { ticket, ttlMs: 1000 })).toEqual({
      kind: 'unknown',
    });
    expect(await release(ticket)).toBe('released');
  });

  it('stay counted when the number of slots is lowered, and no more get in', async () => {
    const first = await enter();
    const second = await enter();
    const one = limitOf({ ...slots, maxConcurrent: 1 });
    expect(await isFull(one)).toBe(true);
    await release(first);
    expect(await isFull(one)).toBe(true);
    await release(second);
    await enter(one);
  });
});
