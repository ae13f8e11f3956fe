import { expect, it } from 'vitest';
import type { Receipt } from '../../../platform/src/evidence/index.ts';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from '../rules/window.ts';
import { droppedBy, receiptsOf, untilWritten } from './rig.ts';

onEveryStack(
  'under a flood',
  (rig) => {
    const sumOf = (receipts: readonly Receipt[]) =>
      receipts.reduce((sum, { repeats }) => sum + 1 + repeats, 0);

    /** So many checks at once. */
    async function ask(key: string, count: number, subjectOf: (at: number) => string) {
      const size = 1000;
      const batches = Array.from({ length: Math.ceil(count / size) }, (_, batch) =>
        Array.from({ length: Math.min(size, count - batch * size) }, (__, at) => ({
          resource: 'r',
          subject: subjectOf(batch * size + at),
        })),
      );
      for (const checks of batches) {
        expect((await rig.client.checks(key, checks)).status).toBe(200);
      }
    }

    it('of one subject few receipts tell of all refusals', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 1)] });
      await ask(key, 1, () => 'me');
      const before = Math.floor(Date.now() / 1000);
      await ask(key, 5000, () => 'me');
      const seconds = Math.floor(Date.now() / 1000) - before + 1;
      await untilWritten(rig.client);
      const receipts = await receiptsOf(rig.client, `tenant_id=${id}`);
      expect(sumOf(receipts)).toBe(5000);
      expect(receipts.length).toBeLessThanOrEqual(seconds);
      for (const { at, last_at: lastAt, repeats } of receipts) {
        expect(lastAt >= at && lastAt.slice(0, 19) === at.slice(0, 19)).toBe(true);
        expect(repeats).toBeGreaterThan(0);
      }
      expect(await droppedBy(rig.node)).toBe(0);
    });

    it('of many subjects there is room for some, the rest is counted, and others have theirs', async () => {
      const noisy = await rig.client.makeTenant({ limits: [] });
      const quiet = await rig.client.makeTenant({ limits: [window('calls', 1)] });
      await rig.client.change('POST', 'blocks', {
        tenant_id: noisy.id,
        key_id: noisy.keyId,
        reason: 'a test',
      });
      const before = await droppedBy(rig.node);
      await ask(quiet.key, 1, () => 'me');
      await ask(noisy.key, 3000, (at) => `${at} ${'x'.repeat(900)}`);
      await ask(quiet.key, 3, () => 'me');
      await untilWritten(rig.client);
      const [ofNoisy, ofQuiet] = [
        await receiptsOf(rig.client, `tenant_id=${noisy.id}`),
        await receiptsOf(rig.client, `tenant_id=${quiet.id}`),
      ];
      expect(sumOf(ofQuiet)).toBe(3);
      expect(ofNoisy.length).toBeGreaterThanOrEqual(500);
      const dropped = (await droppedBy(rig.node)) - before;
      expect(dropped).toBeGreaterThan(0);
      expect(sumOf(ofNoisy) + dropped).toBe(3000);
    });
  },
  { settings: { SLUICE_RECEIPT_SAMPLE: '0' }, kinds: ['PostgreSQL, Redis'] },
);
