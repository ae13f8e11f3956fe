import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChildNode } from '../rig/child-node.ts';
import { type MadeTenant, NodeClient } from '../rig/client.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';
import { countOf, crowd, type Group, type GroupReport } from './crowd.ts';

const tiers = ['enterprise', 'business', 'free'] as const;

/** The node in one process, all callers in another, those who watch in this one. */
describe('a node that is asked far more than it can answer', () => {
  let stack: Stack;
  let node: ChildNode;
  let adminUrl: string;
  let operators: NodeClient;
  let reports: readonly GroupReport[];
  const watched: number[] = [];

  beforeAll(async () => {
    stack = await makeStack('embedded, memory');
    node = await ChildNode.start({
      ...stack.settings,
      SLUICE_CHECK_LOG: 'none',
      SLUICE_ADMIN_ADDR: '127.0.0.1:0',
      // So that what these few callers can make of it is overload on any machine.
      SLUICE_SHED_DELAY_MS: '5',
    });
    // As it says to whoever starts it.
    adminUrl = /admin API +(\S+)/.exec(node.output)?.[1] ?? '';
    operators = new NodeClient(adminUrl, node.adminToken);
    const tenants = await Promise.all(tiers.map((tier) => operators.makeTenant({ tier })));
    const [enterprise, business, free] = tenants as [MadeTenant, MadeTenant, MadeTenant];
    const groups: Group[] = [
      { name: 'enterprise', keys: [enterprise.key], connections: 20, perSecond: 100, subjects: 50 },
      { name: 'business', keys: [business.key], connections: 20, perSecond: 20, subjects: 50 },
      { name: 'free', keys: [free.key], connections: 800, subjects: 1000 },
    ];
    const over = new AbortController();
    const watching = watch(over.signal);
    reports = await crowd(node.url, groups, { ms: 4000 });
    over.abort();
    await watching;
  });

  afterAll(async () => {
    await node.end();
    await stack.remove();
  });

  it('says where its operators look', () => {
    expect(node.output).toContain(`curl -s ${adminUrl}/v1/admin/tenants`);
  });

  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answers = await Promise.all([
        node.client.get('/v1/ready'),
        operators.get('/v1/health'),
        operators.admin('GET', 'tenants?limit=5'),
      ]);
      for (const { status } of answers) watched.push(status);
      await sleep(50);
    }
  }

  const lines = (event: string) =>
    node.output.split('\n').filter((line) => line.includes(`"event":"${event}"`));
  const isOver = () =>
    lines('overload.ended').length > 0 &&
    lines('overload.began').length === lines('overload.ended').length;
  const of = (name: string) => reports.filter((report) => report.name === name);

  it('answers every check, with a decision', () => {
    for (const { answers } of reports) {
      expect(Object.keys(answers).toSorted()).toEqual(
        expect.not.arrayContaining([expect.stringMatching(/^(?!200$|429 overload$)/)]),
      );
    }
    expect(countOf(reports, '429 overload')).toBeGreaterThan(100);
  });

  it('serves who pays most', () => {
    const { answers } = of('enterprise')[0] as GroupReport;
    const served = answers['200'] ?? 0;
    expect(served).toBeGreaterThan(0);
    expect(served / countOf(of('enterprise'), '200', '429 overload')).toBeGreaterThanOrEqual(0.99);
  });

  it('refuses the lowest tier', () => {
    const shed = countOf(reports, '429 overload');
    expect(countOf(of('free'), '429 overload') / shed).toBeGreaterThanOrEqual(0.95);
  });

  it('goes on answering probes and operators', () => {
    expect(watched.length).toBeGreaterThan(0);
    expect(new Set(watched)).toEqual(new Set([200]));
  });

  it('counts each refusal, and says in the log that it began and ended', async () => {
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
    const { text } = await node.client.get('/metrics');
    const value = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1] ?? 0,
      );
    for (const tier of tiers) {
      const seen = countOf(of(tier), '429 overload');
      expect(value(`rl_shed_total{tier="${tier}"}`), tier).toBe(seen);
    }
    const all = countOf(reports, '429 overload');
    expect(value('rl_degraded_total{basis="fail_closed",reason="overload"}')).toBe(all);
    const blocked = 'route="/v1/check",outcome="blocked"';
    expect(value(`requests_total{${blocked}}`)).toBe(all);
    const free = lines('overload.ended').map((line) => JSON.parse(line).shed.free as number);
    expect(free.reduce((sum, count) => sum + count, 0)).toBe(countOf(of('free'), '429 overload'));
  });

  it('serves everybody again', async () => {
    const { key } = await operators.makeTenant({ tier: 'free' });
    const check = () => node.client.check(key, { resource: 'GET:/', subject: 'ann' });
    await expect.poll(async () => (await check()).status, { timeout: 30_000 }).toBe(200);
  });
});
