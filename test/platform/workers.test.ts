import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChildNode } from './rig/child-node.ts';
import type { MadeTenant } from './rig/client.ts';
import { Load } from './rig/load.ts';
import { makeStack, type Stack } from './rig/stacks.ts';

const body = { resource: 'GET:/orders', subject: 'ann' };

describe('serve --workers 2', () => {
  let stack: Stack;
  let node: ChildNode;
  let tenant: MadeTenant;

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, Redis');
    const settings = { ...stack.settings, SLUICE_DRAIN_SECONDS: '0.5' };
    node = await ChildNode.start(settings, ['serve', '--workers', '2']);
    tenant = await node.client.makeTenant();
  });

  afterAll(async () => {
    if (node.isRunning) await node.end('SIGKILL');
    await stack.remove();
  });

  /** The processes that answer: their pids are in what they log. */
  function workersSeen(from = 0): Set<number> {
    const lines = node.output.slice(from).matchAll(/"pid":(\d+)[^\n]*"event":"api\.v1\.check"/g);
    return new Set([...lines].map(([, pid]) => Number(pid)));
  }

  function workerPids({ pid: parentPid }: ChildNode = node): number[] {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
    return table.split('\n').flatMap((line) => {
      const [pid, parent, ...command] = line.trim().split(/\s+/);
      const isWorker = Number(parent) === parentPid && command.join(' ').includes('main.js');
      return isWorker ? [Number(pid)] : [];
    });
  }

  async function counted(): Promise<number> {
    const { text } = await node.client.get('/metrics');
    const lines = text.matchAll(/^rl_allowed_total\{route="\/v1\/check"[^}]*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  it('serves from both, and either tells the sum of what both counted', async () => {
    const before = await counted();
    const from = node.output.length;
    let sent = 0;
    while (workersSeen(from).size < 2 || sent < 200) {
      // A new connection each time: the system hands them out in turn.
      const answer = await node.client.check(tenant.key, body, { connection: 'close' });
      expect(answer.status).toBe(200);
      sent += 1;
      if (sent % 50 === 0) await sleep(60);
      expect(sent).toBeLessThan(3000);
    }
    expect(workersSeen(from).size).toBe(2);
    for (let times = 0; times < 8; times += 1) expect(await counted()).toBe(before + sent);
  });

  it('counts in one place: a limit is one limit, whichever worker is asked', async () => {
    const limited = await node.client.makeTenant({
      limits: [{ algorithm: 'fixed_window', limit: 50, window_seconds: 3600 }],
    });
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => node.client.check(limited.key, body)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(70);
  });

  it('replaces a worker that was killed, and forgets nothing that was counted', async () => {
    const before = await counted();
    const [victim = 0, other = 0] = workerPids();
    process.kill(victim, 'SIGKILL');
    await expect
      .poll(() => workerPids().filter((pid) => pid !== victim && pid !== other), {
        timeout: 30_000,
      })
      .toHaveLength(1);
    await expect
      .poll(async () => (await node.client.check(tenant.key, body)).status, { timeout: 10_000 })
      .toBe(200);
    const [fresh = 0] = workerPids().filter((pid) => pid !== other);
    await expect
      .poll(
        async () => {
          await node.client.check(tenant.key, body, { connection: 'close' });
          return workersSeen().has(fresh);
        },
        { timeout: 30_000, interval: 20 },
      )
      .toBe(true);
    expect(await counted()).toBeGreaterThan(before);
  });

  it('exits with 0 on SIGTERM while they are still starting: nothing was lost', async () => {
    const starting = ChildNode.spawn(stack.settings, ['serve', '--workers', '2']);
    while (workerPids(starting).length < 2) await sleep(5);
    starting.signal('SIGTERM');
    expect(await starting.ended).toEqual({ code: 0, signal: null });
  });

  it('drains on SIGTERM without dropping a request, and exits with 0', async () => {
    const load = Load.start(node.url, tenant.key, { connections: 8 });
    await load.untilAnswered(200);
    node.signal('SIGTERM');
    expect(await node.ended).toEqual({ code: 0, signal: null });
    const { failed, answered } = await load.stop();
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(200);
  });
});

describe('serve --workers 2 without', () => {
  it.each([
    ['anything', {}, /SLUICE_REDIS_URL[^]*SLUICE_DATABASE_URL/],
    ['PostgreSQL', { SLUICE_REDIS_URL: 'redis://127.0.0.1:1' }, /SLUICE_DATABASE_URL/],
    ['Redis', { SLUICE_DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /SLUICE_REDIS_URL/],
  ])('%s says what is missing and does not start', async (_name, settings, said) => {
    const node = ChildNode.spawn(settings, ['serve', '--workers', '2']);
    const { code } = await node.ended;
    expect(code).toBe(1);
    expect(node.output).toMatch(said);
    expect(node.output).not.toMatch(/ {4}at /);
  });
});
