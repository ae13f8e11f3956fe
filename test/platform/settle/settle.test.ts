import { describe, expect, it } from 'vitest';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';
import { lasting, onFollowUps } from './rig.ts';

onEveryStack(
  'what is reserved',
  (rig) => {
    const { make, reserve, settle, used } = onFollowUps(rig);

    it('is charged what it really cost, less or more', async () => {
      const { key } = await make();
      const less = await reserve(key, 30);
      expect(await used(key)).toEqual({ requests: 1, tokens: 30 });
      const settled = await settle(key, less, { cost: 1, costs: { tokens: 12 } });
      expect(settled.status).toBe(200);
      expect(settled.body).toEqual({
        settled: true,
        late: false,
        cost: 1,
        costs: { tokens: 12 },
        debt: 0,
      });
      expect(await used(key)).toEqual({ requests: 1, tokens: 12 });
      const more = await reserve(key, 30);
      expect((await settle(key, more, { costs: { tokens: 95 } })).body).toEqual({
        settled: true,
        late: false,
        cost: 1,
        costs: { tokens: 95 },
        debt: 7,
      });
      expect(await used(key)).toEqual({ requests: 2, tokens: 107 });
    });

    it('settles once: whoever says it again is told what was done', async () => {
      const { key } = await make();
      const id = await reserve(key, 30);
      const first = await settle(key, id, { costs: { tokens: 5 } });
      const again = await settle(key, id, { cost: 9, costs: { tokens: 50 } });
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, settled: false });
      expect(await used(key)).toEqual({ requests: 1, tokens: 5 });
    });

    it('settles once, however many say it at the same time', async () => {
      const { key } = await make();
      const id = await reserve(key, 30);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => settle(key, id, { costs: { tokens: 11 } })),
      );
      expect(answers.filter(({ body }) => body['settled'])).toHaveLength(1);
      expect(await used(key)).toEqual({ requests: 1, tokens: 11 });
    });

    it('is given back when nobody settles it, and charged when that comes late', async () => {
      const { key } = await make();
      const id = await reserve(key, 30, { ttl_ms: 300 });
      await expect.poll(() => used(key), lasting).toEqual({ requests: 0, tokens: 0 });
      const late = await settle(key, id, { costs: { tokens: 4 } });
      expect(late.body).toMatchObject({ settled: true, late: true, costs: { tokens: 4 } });
      expect(await used(key)).toEqual({ requests: 1, tokens: 4 });
      expect((await settle(key, id, { cost: 1 })).body).toMatchObject({
        settled: false,
        late: true,
      });
    });

    it('is kept as reserved where that was asked for', async () => {
      const { key } = await make();
      const id = await reserve(key, 30, { ttl_ms: 200, on_expiry: 'keep' });
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(await used(key)).toEqual({ requests: 1, tokens: 30 });
      expect((await settle(key, id, { costs: { tokens: 8 } })).body).toMatchObject({ late: true });
      expect(await used(key)).toEqual({ requests: 1, tokens: 8 });
    });

    it('is held on by heartbeats, until it is settled', async () => {
      const { key } = await make();
      const id = await reserve(key, 30, { ttl_ms: 1500 });
      const beat = (more: object = {}) =>
        rig.client.follow(key, 'heartbeat', { reservation_id: id, ...more });
      const long = await beat({ ttl_ms: 60_000 });
      expect(long.status).toBe(200);
      expect(long.body['renewed']).toBe(true);
      const inSeconds = (long.body['expires_at'] as number) - rig.nowMs() / 1000;
      expect(inSeconds).toBeGreaterThan(50);
      expect(inSeconds).toBeLessThan(70);
      await new Promise((resolve) => setTimeout(resolve, 1600));
      expect(await used(key)).toEqual({ requests: 1, tokens: 30 });
      expect((await beat()).body['renewed']).toBe(true);
      await settle(key, id, { costs: { tokens: 1 } });
      expect((await beat()).body).toEqual({ renewed: false, expires_at: null });
    });

    it('is charged to the unit after the plan was changed under it', async () => {
      const bucket = (capacity: number, rate: number) => ({
        name: 'tokens',
        algorithm: 'token_bucket',
        unit: 'tokens',
        bucket_capacity: capacity,
        refill_rate_per_sec: rate,
      });
      const { key, planId } = await make([bucket(100, 0.001)]);
      const [open, late] = [await reserve(key, 30), await reserve(key, 20, { ttl_ms: 100 })];
      const change = (limit: object) =>
        rig.client.change('PATCH', `plans/${planId}`, { limits: [limit] });
      await change(bucket(1000, 0.01));
      await rig.client.check(key, { resource: 'r', subject: 's', costs: { tokens: 1 } });
      await expect.poll(() => used(key), lasting).toEqual({ tokens: 31 });
      expect((await settle(key, open, { costs: { tokens: 70 } })).body).toMatchObject({ debt: 0 });
      expect(await used(key)).toEqual({ tokens: 71 });
      expect((await settle(key, late, { costs: { tokens: 9 } })).body).toMatchObject({
        late: true,
      });
      expect(await used(key)).toEqual({ tokens: 80 });
    });

    it('is nothing that another tenant can settle, renew or learn of', async () => {
      const [mine, theirs] = [await make(), await make()];
      const id = await reserve(mine.key, 30);
      const stranger = await settle(theirs.key, id, { cost: 0 });
      expect([stranger.status, stranger.body['code']]).toEqual([404, 'unknown_reservation']);
      const never = await settle(theirs.key, 'never-made', { cost: 0 });
      const { request_id: _, ...body } = never.body;
      expect(stranger.body).toMatchObject(body);
      const beat = { reservation_id: id, ttl_ms: 60_000 };
      expect((await rig.client.follow(theirs.key, 'heartbeat', beat)).status).toBe(404);
      expect(await used(mine.key)).toEqual({ requests: 1, tokens: 30 });
    });

    describe('with bad input', () => {
      it.each([
        [{}, 'reservation_id'],
        [{ reservation_id: 'r' }, 'cost'],
        [{ reservation_id: '', cost: 1 }, 'reservation_id'],
        [{ reservation_id: 'x'.repeat(129), cost: 1 }, 'reservation_id'],
        [{ reservation_id: 5, cost: 1 }, 'reservation_id'],
        [{ reservation_id: 'r', cost: -1 }, 'cost'],
        [{ reservation_id: 'r', cost: 1.5 }, 'cost'],
        [{ reservation_id: 'r', cost: 2 ** 51 }, 'cost'],
        [{ reservation_id: 'r', costs: { tokens: -1 } }, 'costs.tokens'],
        [{ reservation_id: 'r', costs: { requests: 1 } }, 'costs.requests'],
        [{ reservation_id: 'r', cost: 1, amount: 2 }, 'amount'],
      ])('%j is refused by name', async (body, field) => {
        const { key } = await make();
        const answer = await rig.client.follow(key, 'settle', body);
        expect(answer.status).toBe(400);
        expect((answer.body['errors'] as { field: string }[])[0]?.field).toBe(field);
      });

      it('a heartbeat names one thing to hold', async () => {
        const { key } = await make();
        const beat = (body: object) => rig.client.follow(key, 'heartbeat', body);
        expect((await beat({})).status).toBe(400);
        expect((await beat({ ticket: 't', reservation_id: 'r' })).status).toBe(400);
        expect((await beat({ ticket: 't', ttl_ms: 0 })).status).toBe(400);
        expect((await beat({ reservation_id: 'r', ttl_ms: 86_400_001 })).status).toBe(400);
      });
    });
  },
  { kinds: storeKinds },
);
