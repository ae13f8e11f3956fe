import { inject } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '../platform/rig/client.ts';
import { startNode } from '../platform/rig/node.ts';
import { makeStack } from '../platform/rig/stacks.ts';
import { AnsweringRedis, silence } from './rig/answering-redis.ts';
import { campaign } from './rig/campaign.ts';

const deadlineMs = 300;
const errors: Readonly<Record<string, string>> = {
  OOM: "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
  READONLY: "-READONLY You can't write against a read only replica.\r\n",
  NOAUTH: '-NOAUTH Authentication required.\r\n',
  NOSCRIPT: '-NOSCRIPT No matching script. Please use EVAL.\r\n',
  LOADING: '-LOADING Redis is loading the dataset in memory\r\n',
  CLUSTERDOWN: '-CLUSTERDOWN The cluster is down\r\n',
  MASTERDOWN:
    "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
  BUSY: '-BUSY Redis is busy running a script.\r\n',
  'bad reply': '*2\r\n$3\r\nfoo\r\n:-1\r\n',
};
const faults = ['refused', 'timeout', ...Object.keys(errors)];

/** What a check is answered where its store fails, by the policy of its limit. */
const declared = {
  open: { status: 200, allowed: true, bases: ['fail_open'] },
  closed: { status: 429, allowed: false, bases: ['fail_closed'] },
  local: { status: 200, allowed: true, bases: ['local'] },
} as const;
type Policy = keyof typeof declared;

campaign('T74', 'Every failure under every policy', async (report, cleanUp) => {
  const stack = await makeStack('PostgreSQL, Redis');
  cleanUp(() => stack.remove());
  const redis = await AnsweringRedis.start(Number(new URL(inject('redisUrl')).port));
  cleanUp(() => redis.refuse());
  const node = await startNode({
    ...stack.settings,
    SLUICE_REDIS_URL: redis.url,
    SLUICE_STORE_DEADLINE_MS: `${deadlineMs}`,
  });
  cleanUp(() => node.stop());
  const { client } = node;
  const policies: Policy[] = [];
  const keys = new Map<Policy, string>();
  for (const policy of Object.keys(declared) as Policy[]) {
    const limit = { name: policy, algorithm: 'fixed_window', limit: 1e6, window_seconds: 3600 };
    const tenant = await client
      .makeTenant({ limits: [{ ...limit, on_store_failure: policy }] })
      .catch(() => null);
    if (!tenant) continue;
    policies.push(policy);
    keys.set(policy, tenant.key);
  }
  const cells: string[] = [];
  const told = new Map<string, Set<string>>();
  for (const fault of faults) {
    for (const policy of policies) await exactAgain(client, keys.get(policy) ?? '');
    if (fault === 'refused') await redis.refuse();
    else redis.answer = errors[fault] ?? silence;
    for (const policy of policies) {
      // Twice: the second may find a breaker open.
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await client.check(keys.get(policy) ?? '', check);
        const { status, body } = answer;
        const expected = declared[policy];
        const reason = body['degraded_reason'] as string | null;
        const isSo =
          status === expected.status &&
          body['allowed'] === expected.allowed &&
          (expected.bases as readonly string[]).includes(body['basis']) &&
          reason !== null;
        told.set(fault, (told.get(fault) ?? new Set()).add(String(reason)));
        if (!isSo) cells.push(`${policy} × ${fault}: ${status} ${answer.text.slice(0, 120)}`);
        if (policy === 'closed' && !/"reason":"unavailable"/.test(answer.text)) {
          cells.push(`closed × ${fault}: does not say unavailable`);
        }
      }
    }
    redis.answer = null;
    if (fault === 'timeout') redis.cut();
    if (fault === 'refused') await redis.listen();
  }
  for (const cell of new Set(cells)) report.note(cell);
  report.exactly('outcomes other than declared', new Set(cells).size, 0);
  report.note(`${policies.length * faults.length} of 33 cells: ${policies.join(', ')}`);
  report.note(
    [...told].map(([fault, reasons]) => `${fault}: ${[...reasons].join(' / ')}`).join('; '),
  );
});

const check = { resource: 'GET:/orders', subject: 'ann' };

async function exactAgain(client: NodeClient, key: string): Promise<void> {
  const endMs = performance.now() + 30_000;
  while ((await client.check(key, check)).body['basis'] !== 'exact') {
    if (performance.now() > endMs) throw new Error('it never decided exactly again');
    await sleep(20);
  }
}
