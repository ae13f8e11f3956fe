import { expect, it } from 'vitest';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';
import { lasting, onFollowUps } from './rig.ts';

const slots = (name: string, max_concurrent: number, more: object = {}) => ({
  name,
  algorithm: 'concurrency',
  max_concurrent,
  stale_after_seconds: 60,
  ...more,
});

onEveryStack(
  'an open call',
  (rig) => {
    const { make, used } = onFollowUps(rig);
    const call = { resource: 'r', subject: 's' };
    const enter = (key: string) => rig.client.check(key, call);
    const ticketOf = async (key: string) => String((await enter(key)).body['ticket']);
    const release = (key: string, ticket: string) => rig.client.follow(key, 'release', { ticket });

    it('has one ticket for all its slots, which gives all of them back once', async () => {
      const { key } = await make([slots('narrow', 1), slots('wide', 5, { per: ['tenant'] })]);
      const ticket = await ticketOf(key);
      expect(await used(key)).toEqual({ narrow: 1, wide: 1 });
      expect((await enter(key)).status).toBe(429);
      const released = await release(key, ticket);
      expect([released.status, released.body]).toEqual([200, { released: true }]);
      const again = await release(key, ticket);
      expect([again.status, again.body]).toEqual([200, { released: false }]);
      expect(await used(key)).toEqual({ narrow: 0, wide: 0 });
      expect((await enter(key)).status).toBe(200);
    });

    it('that nobody ends goes stale by itself, unless it says that it goes on', async () => {
      const { key } = await make([slots('slots', 2, { stale_after_seconds: 2 })]);
      const [silent, alive] = [await ticketOf(key), await ticketOf(key)];
      const beats = setInterval(() => {
        void rig.client.follow(key, 'heartbeat', { ticket: alive });
      }, 300);
      await expect.poll(() => used(key), lasting).toEqual({ slots: 1 });
      clearInterval(beats);
      expect((await release(key, silent)).body).toEqual({ released: false });
      const beat = await rig.client.follow(key, 'heartbeat', { ticket: silent });
      expect([beat.status, beat.body]).toEqual([200, { renewed: false, expires_at: null }]);
      expect((await release(key, alive)).body).toEqual({ released: true });
    });

    it('can be ended by nobody else, and a made-up ticket is unknown', async () => {
      const [mine, theirs] = [await make([slots('slots', 1)]), await make([slots('slots', 1)])];
      const ticket = await ticketOf(mine.key);
      for (const [key, text] of [
        [theirs.key, ticket],
        [mine.key, `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`],
        [mine.key, ticket.slice(1)],
        [mine.key, 'made-up'],
        [mine.key, 'a.b~c.d'],
        [mine.key, '\u0000'],
      ] as const) {
        const answer = await release(key, text);
        expect([answer.status, answer.body['code']]).toEqual([404, 'unknown_ticket']);
        const beat = await rig.client.follow(key, 'heartbeat', { ticket: text });
        expect(beat.status).toBe(404);
      }
      expect(await used(mine.key)).toEqual({ slots: 1 });
      expect((await release(mine.key, 'x'.repeat(4097))).status).toBe(400);
    });

    it('needs a key that may settle, and is not ended by one that was revoked', async () => {
      const tenant = await make([slots('slots', 1)]);
      const ticket = await ticketOf(tenant.key);
      const more = { tenant_id: tenant.id, name: 'only checks', scopes: ['check'] };
      const checks = await rig.client.change('POST', 'keys', more);
      const denied = await release(checks['key'], ticket);
      expect([denied.status, denied.body['code']]).toEqual([403, 'scope_missing']);
      await rig.client.change('DELETE', `keys/${tenant.keyId}`);
      expect((await release(tenant.key, ticket)).status).toBe(401);
      expect((await rig.client.check(checks['key'], call)).status).toBe(429);
    });
  },
  { kinds: storeKinds },
);
