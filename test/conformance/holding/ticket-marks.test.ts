import { describe, expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

onEveryEngine('a ticket', (rig) => {
  const two = limitOf({ ...slots, maxConcurrent: 2 });
  const enter = async (...more: readonly ReturnType<typeof limitOf>[]) => {
    const { ticket } = await rig.ask(bound(two), ...more.map((limit) => bound(limit)));
    return ticket ?? '';
  };
  const release = (ticket: string) => rig.engine.release(rig.tenant, ticket);
  const renew = (ticket: string) => rig.engine.heartbeat(rig.tenant, { ticket });
  const used = async () => (await rig.look(bound(two))).used;

  it('is released, and gone for who asks again', async () => {
    const ticket = await enter();
    expect(await release(ticket)).toBe('released');
    for (let again = 0; again < 3; again += 1) expect(await release(ticket)).toBe('gone');
    expect(await renew(ticket)).toEqual({ kind: 'gone' });
  });

  it('is gone once it ran out, a minute and a day later too', async () => {
    const ticket = await enter();
    for (const afterMs of [10_000, 60_000, 86_400_000]) {
      rig.clock.advanceMs(afterMs);
      expect(await release(ticket)).toBe('gone');
      expect(await renew(ticket)).toEqual({ kind: 'gone' });
    }
  });

  it('that was made up is unknown, whatever it looks like', async () => {
    const ticket = await enter();
    const [id = ''] = ticket.split('.');
    const madeUp = [
      '',
      '.',
      'nobody',
      id,
      `${id}.`,
      `${id}.AAAAAAAAAAA`,
      `${ticket}.`,
      ` ${ticket}`,
    ];
    for (const text of [...madeUp, ticket.slice(0, -1), `x${ticket}`, 'x'.repeat(5000)]) {
      expect([text, await release(text)]).toEqual([text, 'unknown']);
      expect([text, await renew(text)]).toEqual([text, { kind: 'unknown' }]);
    }
    expect(await used()).toBe(1);
  });

  it('with any one letter changed is unknown, and frees nobody’s slot', async () => {
    const ticket = await enter();
    await enter();
    for (let at = 0; at < ticket.length; at += 1) {
      const letter = ticket[at] === 'A' ? 'B' : 'A';
      const tampered = ticket.slice(0, at) + letter + ticket.slice(at + 1);
      expect([tampered, await release(tampered)]).toEqual([tampered, 'unknown']);
      expect([tampered, await renew(tampered)]).toEqual([tampered, { kind: 'unknown' }]);
    }
    expect(await used()).toBe(2);
    expect(await release(ticket)).toBe('released');
  });

  it('of another tenant is unknown, also once it is over', async () => {
    const ticket = await enter();
    const other = rig.elsewhere();
    await other.ask(bound(two));
    expect(await other.engine.release(other.tenant, ticket)).toBe('unknown');
    await release(ticket);
    expect(await other.engine.release(other.tenant, ticket)).toBe('unknown');
    expect((await other.look(bound(two))).used).toBe(1);
  });

  describe('renewed without a time', () => {
    it('lives as long as the limit lets a silent one', async () => {
      const ticket = await enter();
      rig.clock.advanceMs(9000);
      const untilUs = rig.clock.nowUs + 10_000_000;
      expect(await renew(ticket)).toEqual({ kind: 'held', untilUs });
      rig.clock.nowUs = untilUs - 1;
      expect(await used()).toBe(1);
      rig.clock.advanceUs(1);
      expect(await used()).toBe(0);
    });

    it('is held in each of its limits by that limit’s time, and says the soonest', async () => {
      const wide = limitOf({ ...slots, name: 'wide', staleAfter: '30 s' });
      const ticket = await enter(wide, limitOf(rated.fixed_window));
      expect(await renew(ticket)).toEqual({
        kind: 'held',
        untilUs: rig.clock.nowUs + 10_000_000,
      });
      rig.clock.advanceMs(29_999);
      expect([await used(), (await rig.look(bound(wide))).used]).toEqual([0, 1]);
    });
  });
});
