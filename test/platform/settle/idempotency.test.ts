import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../rig/node.ts';
import {
  makeStack,
  onEveryStack,
  sharedStoreKinds,
  storeKinds,
  type Stack,
} from '../rig/stacks.ts';
import { onFollowUps } from './rig.ts';

const call = { resource: 'r', subject: 's', costs: { tokens: 5 } };
const copies = 200;

/** Of each answer all but whether it is the first one. */
function shown(bodies: readonly object[]): string[] {
  const texts = bodies.map((body) => JSON.stringify({ ...body, replayed: null }));
  return [...new Set(texts)];
}

onEveryStack(
  `${copies} copies of a check at once`,
  (rig) => {
    const { make, used } = onFollowUps(rig);

    it.each([
      ['that charges', {}],
      ['that reserves', { reserve: { ttl_ms: 60_000 } }],
    ])('%s get one charge and equal answers', async (_what, more) => {
      const { key } = await make();
      const asked = { ...call, ...more, idempotency_key: 'the-same-order' };
      const answers = await Promise.all(
        Array.from({ length: copies }, () => rig.client.check(key, asked)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const bodies = answers.map(({ body }) => body);
      expect(bodies.filter((body) => !body['replayed'])).toHaveLength(1);
      expect(shown(bodies)).toHaveLength(1);
      expect(await used(key)).toEqual({ requests: 1, tokens: 5 });
      const other = await rig.client.check(key, { ...asked, cost: 2 });
      expect([other.status, other.body['code']]).toEqual([422, 'idempotency_conflict']);
    });

    it('that take a slot get one ticket, which one release gives back', async () => {
      const slots = { name: 'slots', algorithm: 'concurrency', max_concurrent: 3 };
      const { key } = await make([{ ...slots, stale_after_seconds: 60 }]);
      const asked = { resource: 'r', subject: 's', idempotency_key: 'the-same-upload' };
      const answers = await Promise.all(
        Array.from({ length: copies }, () => rig.client.check(key, asked)),
      );
      const tickets = new Set(answers.map(({ body }) => body['ticket'] as string));
      expect(tickets.size).toBe(1);
      expect(await used(key)).toEqual({ slots: 1 });
      const [ticket] = tickets;
      await rig.client.follow(key, 'release', { ticket });
      expect(await used(key)).toEqual({ slots: 0 });
    });
  },
  { kinds: storeKinds },
);

describe.each(sharedStoreKinds)('two nodes (%s)', (kind) => {
  let stack: Stack;
  let nodes: RunningNode[];

  beforeAll(async () => {
    stack = await makeStack(kind);
    nodes = await Promise.all([startNode(stack.settings), startNode(stack.settings)]);
  });

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stack.remove();
  });

  it('charge what is sent to both of them once, and settle it once', async () => {
    const [one, two] = nodes.map(({ client }) => client) as [
      RunningNode['client'],
      RunningNode['client'],
    ];
    const hour = { algorithm: 'fixed_window', limit: 100, window_seconds: 3600 };
    const { key } = await one.makeTenant({ limits: [{ ...hour, unit: 'tokens' }] });
    const asked = { ...call, reserve: { ttl_ms: 60_000 }, idempotency_key: 'for-both-nodes' };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (at % 2 ? one : two).check(key, asked)),
    );
    expect(shown(answers.map(({ body }) => body))).toHaveLength(1);
    const [first] = answers as [(typeof answers)[number]];
    const { id } = first.body['reservation'] as { id: string };
    const settlement = { reservation_id: id, costs: { tokens: 9 } };
    const settled = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).follow(key, 'settle', settlement)),
    );
    expect(settled.filter(({ body }) => body['settled'])).toHaveLength(1);
    const look = await two.check(key, { ...call, cost: 0, costs: {} });
    expect(look.body['limits']).toMatchObject([{ used: 9 }]);
  });
});

describe('X-Request-Id', () => {
  onEveryStack(
    'as an idempotency key, where that is set',
    (rig) => {
      it('makes a retry that keeps it one charge, and gives way to a key that is meant', async () => {
        const { make, used } = onFollowUps(rig);
        const { key } = await make();
        const ask = (headers: Record<string, string>) => rig.client.check(key, call, headers);
        const id = { 'x-request-id': 'request-0001' };
        expect((await ask(id)).body['replayed']).toBe(false);
        expect((await ask(id)).body['replayed']).toBe(true);
        expect((await ask({ ...id, 'idempotency-key': 'a-key-that-is-meant' })).body).toMatchObject(
          {
            replayed: false,
          },
        );
        expect(await used(key)).toEqual({ requests: 2, tokens: 10 });
        const bad = await ask({ 'x-request-id': 'short' });
        expect(bad.body['errors']).toMatchObject([{ field: 'x-request-id' }]);
      });
    },
    { kinds: ['embedded, memory'], settings: { SLUICE_REQUEST_ID_KEYS: 'on' } },
  );
});
