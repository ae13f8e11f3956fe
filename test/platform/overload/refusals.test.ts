import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, MadeTenant } from '../rig/client.ts';
import { Documented, type OpenApi } from '../rig/documented.ts';
import { type RunningNode, startNode } from '../rig/node.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';

const reserved = { resource: 'GET:/orders', subject: 'ann', reserve: { ttl_ms: 60_000 } };

/**
 * How long the event loop is kept: above the target, and where nothing gets better or worse. That is
 * between two thirds of the target and all of it; and a timer of 10 ms is late by 10 ms less than this.
 */
const targetMs = 180;
const tooLateMs = 330;
const keptMs = 150;

/** A node in this process, whose event loop the test itself keeps late. */
describe('a check that is refused because there is too much to do', () => {
  const documented = new Documented();
  let stack: Stack;
  let node: RunningNode;
  let free: MadeTenant;
  let enterprise: MadeTenant;
  let reservation: string;
  let isBusy = true;
  let calling: NodeJS.Timeout;
  const calls: Promise<unknown>[] = [];
  let lateMs = tooLateMs;

  beforeAll(async () => {
    stack = await makeStack('embedded, memory');
    const settings = { ...stack.settings, SLUICE_SHED_DELAY_MS: `${targetMs}` };
    node = await startNode(settings, { watch: documented.watch });
    free = await node.client.makeTenant({ tier: 'free', scopes: ['check', 'settle', 'usage'] });
    enterprise = await node.client.makeTenant({ tier: 'enterprise' });
    reservation = await reserve();
    setImmediate(keepLate);
    // The lowest tier goes on calling: were it silent, it would be the next one's turn.
    calling = setInterval(
      () => calls.push(node.client.check(free.key, reserved).catch(() => {})),
      300,
    );
    while ((await refused()).length < subjects.length);
    lateMs = keptMs;
  });

  afterAll(async () => {
    isBusy = false;
    clearInterval(calling);
    await node.stop();
    await stack.remove();
  });

  const subjects = Array.from({ length: 10 }, (_, at) => `subject ${at}`);

  async function refused(): Promise<Answer[]> {
    await node.client.check(enterprise.key, { resource: 'GET:/orders', subject: 'eve' });
    const checks = subjects.map((subject) => ({ resource: 'GET:/orders', subject }));
    const answers = await Promise.all(checks.map((body) => node.client.check(free.key, body)));
    return answers.filter(({ body }) => String(body.degraded_reason) === 'overload');
  }

  /** Starting is work too: on a busy machine the first calls may be among those that are refused. */
  async function reserve(): Promise<string> {
    for (;;) {
      const { body } = await node.client.check(free.key, reserved);
      if (body.reservation) return (body.reservation as { id: string }).id;
      await sleep(100);
    }
  }

  function keepLate(): void {
    const endMs = performance.now() + lateMs;
    while (performance.now() < endMs);
    if (isBusy) setImmediate(keepLate);
  }

  it('is a 429 that says so, and when to come again', async () => {
    const { status, headers, body } = await node.client.check(free.key, {
      resource: 'GET:/orders',
      subject: 'ann',
      cost: 3,
      costs: { tokens: 5 },
    });
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({
      allowed: false,
      basis: 'fail_closed',
      degraded_reason: 'overload',
      retry_after_ms: 1000,
      message: 'The limit could not be checked; try again in a moment.',
      cost: 3,
      costs: { tokens: 5 },
      limits: [],
    });
    expect(body.blocked_by).toMatchObject({
      limit: null,
      per: [],
      level: 'tenant',
      reason: 'unavailable',
    });
    expect(body.decision_id).not.toBe('');
  });

  it('has its place among others that were asked together', async () => {
    const checks = [{ resource: 'GET:/', subject: 'a' }, {}, { resource: 'GET:/', subject: 'b' }];
    const { status, body } = await node.client.checks(free.key, checks);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { allowed: false, degraded_reason: 'overload' },
      { code: 'invalid_request' },
      { allowed: false, degraded_reason: 'overload' },
    ]);
  });

  it('is not what a higher tier gets', async () => {
    const one = { resource: 'GET:/orders', subject: 'eve' };
    const { status, body } = await node.client.check(enterprise.key, one);
    expect([status, String(body.basis), body.degraded_reason]).toEqual([200, 'exact', null]);
    const { body: many } = await node.client.checks(enterprise.key, [one, one]);
    expect(many).toMatchObject([{ allowed: true }, { allowed: true }]);
  });

  it('is what nobody gets who does wrong, or whom nobody knows', async () => {
    expect((await node.client.check(free.key, { resource: 'GET:/' })).status).toBe(400);
    const plan = { resource: 'GET:/', subject: 'ann', plan_id: enterprise.planId };
    expect((await node.client.check(free.key, plan)).status).toBe(403);
    expect((await node.client.check('slk_nobody', { ...plan })).status).toBe(401);
  });

  it('is no reason to refuse anything else', async () => {
    const settlement = { reservation_id: reservation, cost: 1 };
    const settled = await node.client.follow(free.key, 'settle', settlement);
    expect([settled.status, Boolean(settled.body.settled)]).toEqual([200, true]);
    for (const path of ['/v1/health', '/v1/ready', '/metrics']) {
      expect((await node.client.get(path)).status, path).toBe(200);
    }
    expect((await node.client.admin('GET', 'tenants')).status).toBe(200);
  });

  it('is told of in the log once for all, and has no receipt', async () => {
    const { body } = await node.client.check(free.key, { resource: 'GET:/orders', subject: 'ann' });
    const id = String(body.decision_id);
    const lines = node.log().split('\n');
    expect(lines.filter((line) => line.includes('overload.began'))).not.toEqual([]);
    expect(lines.filter((line) => line.includes('"degraded_reason":"overload"'))).toEqual([]);
    expect((await node.client.admin('GET', `decisions/${id}`)).status).toBe(404);
  });

  it('is documented', async () => {
    const document = (await node.client.get('/openapi.json')).body as unknown as OpenApi;
    expect(documented.problems(document)).toEqual([]);
  });

  it('is over when there is time again, and usage has counted it', async () => {
    isBusy = false;
    await expect.poll(() => node.log(), { timeout: 60_000 }).toContain('overload.ended');
    // Nobody calls any more while it is counted, nor waits for a refusal that is held back: usage
    // knows of that before metrics do. A busy machine may be late once more before that.
    clearInterval(calling);
    await Promise.all(calls);
    await expect.poll(async () => (await refused()).length, { timeout: 60_000 }).toBe(0);
    const { text } = await node.client.get('/metrics');
    const shed = Number(/^rl_shed_total\{tier="free"\} (\d+)$/m.exec(text)?.[1]);
    expect(shed).toBeGreaterThan(subjects.length);
    const now = Date.now();
    const from = new Date(now - 3_600_000).toISOString();
    const query = `tenant_id=${free.id}&from=${from}&to=${new Date(now + 60_000).toISOString()}`;
    const { text: usage } = await node.client.admin('GET', `usage?${query}`);
    expect(usage).toContain(`"blocked":${shed}`);
  });
});
