import { describe, expect, it } from 'vitest';
import type { Report } from '../../../platform/src/evidence/rollout/index.ts';
import type { NodeClient } from '../rig/client.ts';
import { startNode } from '../rig/node.ts';
import { onEveryStack } from '../rig/stacks.ts';

const week = 604_800;
const window = (more: object = {}) => ({
  name: 'm',
  algorithm: 'fixed_window',
  limit: 3,
  window_seconds: week,
  mode: 'shadow',
  per: ['tenant', 'subject'],
  ...more,
});

async function reportOf(client: NodeClient, tenantId: string, query = ''): Promise<Report | null> {
  const path = `rollout?tenant_id=${tenantId}&limit_name=m${query}`;
  const { items } = await client.change('GET', path);
  return (items as Report[])[0] ?? null;
}

/** Once all that was asked is written. */
async function written(client: NodeClient, tenantId: string, calls: number): Promise<Report> {
  await expect
    .poll(async () => (await reportOf(client, tenantId))?.calls, { timeout: 15_000 })
    .toBe(calls);
  return (await reportOf(client, tenantId)) as Report;
}

onEveryStack(
  'a rollout',
  (rig) => {
    const ask = (key: string, subject: string, more: object = {}) =>
      rig.client.check(key, { resource: 'GET:/a', subject, ...more });

    it('counts what was asked, and nothing else', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [window()] });
      for (let call = 0; call < 5; call += 1) await ask(key, 'ann');
      await ask(key, 'bob');
      await ask(key, 'bob', { cost: 0 });
      const repeat = { idempotency_key: 'the-same-one' };
      for (let call = 0; call < 3; call += 1) await ask(key, 'cyd', repeat);
      await rig.client.checks(
        key,
        Array.from({ length: 4 }, () => ({ resource: 'GET:/b', subject: 'dan' })),
      );
      const report = await written(rig.client, id, 11);
      expect(report).toMatchObject({
        would_refuse: 3,
        subjects: 4,
        refused_subjects: 2,
        share_of_subjects: 0.5,
        verdict: { verdict: 'too_tight' },
        top_subjects: [
          { subject: 'ann', calls: 5, would_refuse: 2, peak: 5 },
          { subject: 'dan', calls: 4, would_refuse: 1, peak: 4 },
        ],
        suggestion: { number: 5, known: 'exact' },
      });
      const quarter = await reportOf(rig.client, id, '&at_most=0.25');
      expect(quarter?.suggestion?.number).toBe(4);
      expect(rig.node.log()).not.toContain('"ann"');
    });

    it('goes from shadow to warn to enforce on the next check', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [window({ limit: 1 })] });
      const step = { tenant_id: id, limit: 'm', reason: 'a test' };
      await ask(key, 'ann');
      expect((await ask(key, 'ann')).headers.get('x-ratelimit-warning')).toBeNull();
      await rig.client.change('POST', 'rollout/promote', step);
      const warned = await ask(key, 'ann');
      expect(warned.status).toBe(200);
      expect(warned.headers.get('x-ratelimit-warning')).toContain('m');
      await rig.client.change('POST', 'rollout/promote', { ...step, force: true });
      expect((await ask(key, 'ann')).status).toBe(429);
      await rig.client.change('POST', 'rollout/step-back', step);
      expect((await ask(key, 'ann')).status).toBe(200);
    });

    it('is written when the node stops', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [window()] });
      await Promise.all(Array.from({ length: 20 }, () => ask(key, 'ann')));
      await rig.restart();
      expect(await reportOf(rig.client, id)).toMatchObject({ calls: 20, would_refuse: 17 });
    });
  },
  { kinds: ['embedded, memory', 'PostgreSQL, Redis'] },
);

onEveryStack(
  'a rollout on two nodes',
  (rig) => {
    it('counts each call of each node once', async () => {
      const other = await startNode(rig.settings);
      try {
        const { id, key } = await rig.client.makeTenant({ limits: [window()] });
        const subjects = ['ann', 'bob', 'cyd', 'dan', 'eve'];
        const refused: string[] = [];
        const calls = Array.from({ length: 200 }, (_, at) => at);
        await Promise.all(
          calls.map(async (at) => {
            // One asks seldom enough.
            const subject = subjects[at < 2 ? 0 : 1 + (at % 4)] as string;
            const { client } = at % 2 === 0 ? rig : other;
            const { body } = await client.check(key, { resource: 'GET:/a', subject });
            if ((body.would_block as string[]).length > 0) refused.push(subject);
          }),
        );
        expect(refused.length).toBeGreaterThan(100);
        const report = await written(rig.client, id, 200);
        expect(report.would_refuse).toBe(refused.length);
        expect(report.refused_subjects).toBe(4);
        expect(report.share_of_subjects).toBe(0.8);
        const bySubject = new Map(
          report.top_subjects?.map((one) => [one.subject, one.would_refuse]),
        );
        for (const subject of new Set(refused)) {
          const count = refused.filter((one) => one === subject).length;
          expect(bySubject.get(subject)).toBe(count);
        }
        // What both saw refused counts in what it would take to refuse nothing.
        for (const { calls: asked, peak } of report.top_subjects ?? []) expect(peak).toBe(asked);
      } finally {
        await other.stop();
      }
    });
  },
  { kinds: ['PostgreSQL, Redis'] },
);

describe('without evidence', () => {
  onEveryStack(
    'nothing',
    (rig) => {
      it('is collected, and what is configured is still told', async () => {
        const { id, key } = await rig.client.makeTenant({ limits: [window()] });
        await rig.client.check(key, { resource: 'GET:/a', subject: 'ann' });
        await rig.restart();
        expect(await reportOf(rig.client, id)).toMatchObject({ stage: 'shadow', calls: 0 });
      });
    },
    { kinds: ['PostgreSQL, memory'], settings: { SLUICE_EVIDENCE: 'off' } },
  );
});
