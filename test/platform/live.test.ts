import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveSecond } from '../../platform/src/evidence/index.ts';
import type { MadeTenant, NodeClient } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';
import { onEveryStack, sharedStoreKinds } from './rig/stacks.ts';

const canary = 'user:canary@example.org';

/** What a listener heard. */
class Heard {
  readonly response: IncomingMessage;
  readonly #seconds = new Map<number, LiveSecond>();
  isOver = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#hear(block);
    });
    response.on('end', () => (this.isOver = true));
    response.on('error', () => (this.isOver = true));
  }

  #hear(block: string): void {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) return;
    const second = JSON.parse(data) as LiveSecond;
    this.#seconds.set(second.at, second);
    const last = Math.max(...this.#seconds.keys());
    if (!block.startsWith(`id: ${last}\nevent: second\n`)) throw new Error(block);
  }

  /** In order; of one that was told again what was told last. */
  get seconds(): readonly LiveSecond[] {
    return [...this.#seconds.values()].toSorted((a, b) => a.at - b.at);
  }

  sum(outcome: keyof LiveSecond['outcomes']): number {
    return this.seconds.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0);
  }

  leave(): void {
    this.response.destroy();
  }
}

const listeners: Heard[] = [];
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.leave();
});

async function open(
  { url, service }: RunningNode,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const asked = request(`${url}/v1/admin/live`, {
    agent: false,
    headers: { authorization: `Bearer ${service.adminToken}`, ...headers },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  return response;
}

async function listen(node: RunningNode, headers = {}): Promise<Heard> {
  const response = await open(node, headers);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  const heard = new Heard(response);
  listeners.push(heard);
  return heard;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 1) {
    if (waited > 400) throw new Error('It did not come to be.');
    await sleep(50);
  }
}

const limits = [
  { name: 'five', algorithm: 'fixed_window', limit: 5, window_seconds: 3600, per: ['subject'] },
  {
    name: 'two',
    algorithm: 'fixed_window',
    limit: 2,
    window_seconds: 3600,
    per: ['subject'],
    mode: 'shadow',
  },
];

/** Five are let in, three of which the shadow would have refused, and the rest is refused. */
async function burst(client: NodeClient, tenant: MadeTenant, subject: string, count: number) {
  for (let sent = 0; sent < count; sent += 1) {
    await client.check(tenant.key, { resource: 'GET:/orders', subject });
  }
}

onEveryStack(
  'the live stream',
  (rig) => {
    it('tells each second what was decided, of whom and by which limit', async () => {
      const tenant = await rig.client.makeTenant({ limits });
      const heard = await listen(rig.node);
      await burst(rig.client, tenant, canary, 9);
      await burst(rig.client, tenant, 'bob', 6);
      await until(() => heard.sum('blocked') === 5);
      expect(heard.sum('allowed')).toBe(4);
      expect(heard.sum('shadowed')).toBe(6);
      const busy = heard.seconds.filter(({ decisions }) => decisions > 0);
      for (const { decisions, outcomes, latency_ms: ms, stores, nodes } of busy) {
        expect(decisions).toBe(Object.values(outcomes).reduce((sum, count) => sum + count));
        expect(ms.p50).toBeGreaterThan(0);
        expect(ms.p99).toBeGreaterThanOrEqual(ms.p50 as number);
        expect(stores).toEqual({ database: 'up', store: 'up' });
        expect(nodes).toBe(1);
      }
      const limitsHeard = busy.flatMap((second) => second.top_limits);
      const sum = (name: string, field: 'refused' | 'would_refuse') =>
        limitsHeard.filter(({ limit }) => limit === name).reduce((all, one) => all + one[field], 0);
      expect([sum('five', 'refused'), sum('two', 'would_refuse')]).toEqual([5, 11]);
      const subjects = busy.flatMap((second) => second.top_subjects);
      expect(new Set(subjects.map(({ tenant_id }) => tenant_id))).toEqual(new Set([tenant.id]));
      expect(subjects.reduce((all, { refused }) => all + refused, 0)).toBe(5);
      const receipt = (id: string) => rig.client.admin('GET', `decisions/${id}`);
      for (const { decision_id: id } of subjects) {
        await expect.poll(async () => (await receipt(id)).status, { timeout: 20_000 }).toBe(200);
      }
      const logged = rig.node.log();
      for (const { subject_hash: hash, decision_id: id, limit } of subjects) {
        expect(limit).toBe('five');
        expect(logged).toContain(hash);
        expect(logged).toContain(id);
      }
      expect(JSON.stringify(heard.seconds)).not.toContain('canary');
    });

    it('goes on where a listener left off', async () => {
      const tenant = await rig.client.makeTenant({ limits });
      const first = await listen(rig.node);
      await until(() => first.seconds.length > 0);
      first.leave();
      const left = first.seconds.at(-1) as LiveSecond;
      await burst(rig.client, tenant, 'while-away', 5);
      await sleep(2600);
      const again = await listen(rig.node, { 'last-event-id': String(left.at) });
      await until(() => again.seconds.length > 3);
      const ids = again.seconds.map(({ at }) => at);
      expect(ids).toEqual(ids.map((_, index) => left.at + 1 + index));
      expect(again.sum('allowed') + again.sum('shadowed')).toBe(5);
    });

    it('is not for tenants, nor for strangers', async () => {
      const { id } = await rig.client.makeTenant();
      const answer = await rig.client.admin('POST', 'tokens', {
        name: 'theirs',
        role: 'owner',
        tenant_id: id,
      });
      const theirs = { authorization: `Bearer ${answer.body.token}` };
      for (const [headers, status] of [
        [theirs, 403],
        [{ authorization: 'Bearer nobody' }, 401],
        [{ authorization: '' }, 401],
        [{ 'last-event-id': 'yesterday' }, 400],
      ] as const) {
        const response = await open(rig.node, headers);
        expect(response.statusCode).toBe(status);
        response.destroy();
      }
    });

    it('has room for so many, and again when one leaves', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => listen(rig.node)));
      const refused = await open(rig.node);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
      refused.destroy();
      all[0]?.leave();
      await until(() => all[0]?.response.destroyed === true);
      let next = await open(rig.node);
      for (let tries = 0; next.statusCode !== 200 && tries < 40; tries += 1) {
        next.destroy();
        await sleep(50);
        next = await open(rig.node);
      }
      expect(next.statusCode).toBe(200);
      next.destroy();
    });

    it('ends when the node does', async () => {
      const heard = await listen(rig.node);
      await until(() => heard.seconds.length > 0);
      await rig.restart();
      await until(() => heard.isOver);
    });
  },
  { kinds: ['embedded, memory', 'PostgreSQL, Redis'] },
);

onEveryStack(
  'the live stream of several nodes',
  (rig) => {
    it('is the same on each of them, and of all together', async () => {
      const tenant = await rig.client.makeTenant({ limits });
      const other = await startNode(rig.settings);
      try {
        const [here, there] = [await listen(rig.node), await listen(other)];
        for (const client of [rig.client, other.client]) await burst(client, tenant, 'cy', 10);
        for (const heard of [here, there]) {
          await until(() => heard.sum('blocked') === 15);
          expect(heard.sum('allowed') + heard.sum('shadowed')).toBe(5);
          expect(heard.seconds.some(({ nodes }) => nodes === 2)).toBe(true);
        }
      } finally {
        await other.stop();
      }
    });
  },
  { kinds: sharedStoreKinds },
);

describe('without evidence', () => {
  onEveryStack(
    'the live stream',
    (rig) => {
      it('is not there', async () => {
        const response = await open(rig.node);
        expect(response.statusCode).toBe(404);
        response.destroy();
      });
    },
    { kinds: ['embedded, memory'], settings: { SLUICE_EVIDENCE: 'off' } },
  );
});
