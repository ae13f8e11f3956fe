// What callers saw, what nodes say in their metrics and what the ledger says: one number (T77).

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Counts } from '../../../platform/src/control/usage/usage.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import type { Answer, MadeTenant } from '../rig/client.ts';
import { type RunningNode, startNode } from '../rig/node.ts';
import { makeStack, sharedStoreKinds, type Stack } from '../rig/stacks.ts';
import { countsOf } from './rig.ts';

type Decided = {
  readonly allowed: boolean;
  readonly would_block: readonly string[];
  readonly basis: string;
  readonly replayed: boolean;
  readonly limits: readonly {
    readonly name: string;
    readonly mode: string;
    readonly allowed: boolean;
  }[];
};

const window = { algorithm: 'fixed_window', window_seconds: 600, per: ['tenant'] };
const limits = [
  { ...window, name: 'hard', limit: 250 },
  { ...window, name: 'harder', limit: 60, resources: ['POST:/search'] },
  { ...window, name: 'warning', limit: 100, mode: 'warn' },
  { ...window, name: 'watched', limit: 40, mode: 'shadow' },
];

/** The sum of a metric's series on all nodes, by their outcome. */
async function metricsOf(nodes: readonly RunningNode[], name: string) {
  const sums: Record<string, number> = {};
  for (const { client } of nodes) {
    const { text } = await client.get('/metrics');
    for (const [, labels = '', value] of text.matchAll(
      new RegExp(`^${name}{(.*)} (\\d+)$`, 'gm'),
    )) {
      if (!/route="\/v1\/checks?"/.test(labels) && !labels.includes('mode=')) continue;
      const outcome = /(?:outcome|mode)="(\w+)"/.exec(labels)?.[1] ?? '';
      sums[outcome] = (sums[outcome] ?? 0) + Number(value);
    }
  }
  return sums;
}

describe.each(sharedStoreKinds)('client, metrics and ledger (%s)', (kind) => {
  let stack: Stack;
  let nodes: RunningNode[];
  beforeAll(async () => {
    stack = await makeStack(kind);
    const settings = { ...stack.settings, SLUICE_ADMIN_TOKEN: 'a-token-of-the-test' };
    nodes = [await startNode(settings), await startNode(settings)];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stack.remove();
  });

  const nodeAt = (at: number) => nodes[at % nodes.length] as RunningNode;

  it('agree to the unit, over two nodes and under load', async () => {
    const { client } = nodeAt(0);
    const tenants = [
      await client.makeTenant({ limits, scopes: ['check', 'usage'] }),
      await client.makeTenant({ limits, scopes: ['check', 'usage'] }),
    ];
    for (const { id } of tenants) {
      await client.change('POST', 'blocks', { tenant_id: id, subject: 'mallory', reason: 'r' });
    }
    const seen = tenants.map(() => [] as Decided[]);
    const callers = Array.from({ length: 12 }, async (_, caller) => {
      for (let round = 0; round < 14; round += 1) {
        const at = caller % tenants.length;
        const { key } = tenants[at] as MadeTenant;
        const resource = round % 2 === 0 ? 'POST:/search' : 'GET:/orders';
        const subject = round % 5 === 0 ? 'mallory' : `user-${caller}`;
        const check = { resource, subject };
        const { client: node } = nodeAt(caller + round);
        if (round % 3 === 0) {
          const { body } = await node.checks(key, [check, check, check]);
          seen[at]?.push(...(body as unknown as Decided[]));
        } else {
          for (let turn = 0; turn < 2; turn += 1) {
            seen[at]?.push((await node.check(key, check)).body);
          }
        }
      }
    });
    await Promise.all(callers);
    const all = seen.flat();
    expect(new Set(all.map(({ basis }) => basis))).toEqual(new Set(['exact']));
    const admitted = all.filter(({ allowed }) => allowed);
    const modesOf = ({ limits: shown }: Decided) =>
      shown.filter((one) => !one.allowed).map(({ mode }) => mode);
    const warned = admitted.filter((one) => modesOf(one).includes('warn')).length;
    const shadowed = admitted.filter(
      (one) => modesOf(one).includes('shadow') && !modesOf(one).includes('warn'),
    ).length;
    const clients = {
      allowed: admitted.length - warned - shadowed,
      warned,
      shadowed,
      blocked: all.length - admitted.length,
    };
    for (const count of Object.values(clients)) expect(count).toBeGreaterThan(0);

    await expect.poll(() => metricsOf(nodes, 'requests_total')).toMatchObject(clients);
    const { blocked, ...letIn } = clients;
    expect(await metricsOf(nodes, 'rl_allowed_total')).toEqual(letIn);
    expect(await metricsOf(nodes, 'rl_blocked_total')).toEqual({ blocked });

    for (const [at, tenant] of tenants.entries()) {
      const own = seen[at] ?? [];
      const refusing = (name: string, count: (one: Decided) => boolean) =>
        own.filter(
          (one) => count(one) && one.limits.some((limit) => limit.name === name && !limit.allowed),
        ).length;
      const applied = (name: string) =>
        own.filter((one) => one.allowed && one.limits.some((limit) => limit.name === name)).length;
      const isWarned = (one: Decided) => one.allowed && one.would_block.length > 0;
      const expected = {
        allowed: own.filter((one) => one.allowed && !isWarned(one)).length,
        warned: own.filter(isWarned).length,
        blocked: own.filter((one) => !one.allowed).length,
        ...Object.fromEntries(limits.map(({ name }) => [`${name} allowed`, applied(name)])),
        'hard blocked': refusing('hard', (one) => !one.allowed),
        'harder blocked': refusing('harder', (one) => !one.allowed),
        'warning would_block': refusing('warning', () => true),
        'watched would_block': refusing('watched', () => true),
      };
      const present = Object.fromEntries(Object.entries(expected).filter(([, count]) => count > 0));
      const { db } = nodeAt(0).service.foundation.database;
      // Each node writes its refusals within a second, and whoever asks has the ledger moved.
      const ledger = async () => {
        await nodeAt(at).client.get('/v1/usage', { 'x-api-key': tenant.key });
        return countsOf(db, tenant.id);
      };
      await expect.poll(ledger, { timeout: 20_000, interval: 300 }).toEqual(present);
      for (const step of ['hour', 'day'] as const) {
        expect(await countsOf(db, tenant.id, step)).toEqual(present);
      }
    }
    const would = await metricsOf(nodes, 'rl_would_block_total');
    const sumOf = (mode: string) =>
      all.reduce((sum, one) => sum + modesOf(one).filter((each) => each === mode).length, 0);
    expect(would).toEqual({ warn: sumOf('warn'), shadow: sumOf('shadow') });
  });

  it('differ by peeks and replays alone', async () => {
    const { client } = nodeAt(0);
    const before = await metricsOf(nodes, 'requests_total');
    const tenant = await client.makeTenant({ scopes: ['check', 'usage'] });
    const check = { resource: 'x', subject: 'ann' };
    const bodies = [
      check,
      { ...check, cost: 0 },
      { ...check, idempotency_key: 'once-and-again' },
      { ...check, idempotency_key: 'once-and-again' },
    ];
    const answers: Answer[] = [];
    for (const body of bodies) answers.push(await client.check(tenant.key, body));
    expect(answers.map(({ body }) => body['replayed'])).toEqual([false, false, false, true]);
    const more = async () =>
      Number((await metricsOf(nodes, 'requests_total'))['allowed']) - Number(before['allowed']);
    await expect.poll(more).toBe(4);
    const { body } = await client.get('/v1/usage', { 'x-api-key': tenant.key });
    expect((body['usage'] as { totals: Counts }).totals.allowed).toBe(2);
  });
});

describe('while the store is away', () => {
  it('what was let in without it is counted as such, when it is back', async () => {
    const stack = await makeStack('PostgreSQL, Redis');
    const proxy = await FaultProxy.start(Number(new URL(inject('redisUrl')).port));
    const node = await startNode({
      ...stack.settings,
      SLUICE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
      SLUICE_STORE_DEADLINE_MS: '100',
    });
    try {
      const { client } = node;
      const open = { ...window, name: 'open', limit: 3 };
      const closed = { ...open, name: 'closed', on_store_failure: 'closed', resources: ['x'] };
      const tenant = await client.makeTenant({
        limits: [open, closed],
        scopes: ['check', 'usage'],
      });
      const call = async (resource: string) =>
        (await client.check(tenant.key, { resource, subject: 'ann' })).body as unknown as Decided;
      expect(await call('y')).toMatchObject({ allowed: true, basis: 'exact' });
      // Nothing gets there: what has no answer was not counted either.
      proxy.fault = { kind: 'swallow' };
      for (let at = 0; at < 4; at += 1) {
        expect(await call('y')).toMatchObject({ allowed: true, basis: 'fail_open' });
      }
      expect(await call('x')).toMatchObject({ allowed: false, basis: 'fail_closed' });
      proxy.fault = { kind: 'pass' };
      proxy.cut();
      await expect.poll(async () => (await call('y')).basis, { timeout: 20_000 }).toBe('exact');
      const { db } = node.service.foundation.database;
      const ledger = async () => {
        await client.get('/v1/usage', { 'x-api-key': tenant.key });
        return countsOf(db, tenant.id);
      };
      await expect
        .poll(ledger, { timeout: 20_000, interval: 300 })
        .toMatchObject({ blocked: 1, 'closed blocked': 1, allowed: 2, 'open allowed': 2 });
      const metrics = await metricsOf([node], 'requests_total');
      // Asked little by little at first, it may hear of them one after another.
      await expect
        .poll(async () => (await ledger())['degraded'], { timeout: 20_000, interval: 300 })
        .toBe(metrics['degraded']);
      expect(metrics['degraded']).toBeGreaterThanOrEqual(4);
    } finally {
      await node.stop();
      await proxy.stop();
      await stack.remove();
    }
  });
});
