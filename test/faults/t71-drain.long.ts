import { inject } from 'vitest';
import { Load } from '../platform/rig/load.ts';
import { campaign, sized } from './rig/campaign.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 10 });

campaign(
  'T71',
  'SIGTERM under load',
  async (report, cleanUp) => {
    let [failed, answered, badEnds] = [0, 0, 0];
    const [endedMs, notReadyMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const { nodes, client, url } = await startService(cleanUp, {
        redisUrl: inject('redisUrl'),
        settings: { SLUICE_DRAIN_SECONDS: '1', SLUICE_STORE_DEADLINE_MS: '1000' },
      });
      const { key } = await client.makeTenant();
      const load = Load.start(url, key, { connections: 16 });
      await load.untilAnswered(300);
      const signalledMs = Date.now();
      const node = nodes[0]?.process;
      const ended = await node?.end('SIGTERM');
      endedMs.push(Date.now() - signalledMs);
      const seen = await load.stop();
      failed += seen.failed.length;
      answered += seen.answered;
      notReadyMs.push(Number(seen.notReadyAtMs) - signalledMs);
      if (ended?.code !== 0) badEnds += 1;
    }
    report.exactly('failed in flight', failed, 0);
    report.exactly('ends other than 0', badEnds, 0);
    report.aim('until “not ready”, ms', Math.max(...notReadyMs), 1000);
    report.aim('until ended, ms', Math.max(...endedMs), 10_000);
    report.note(`${rounds} nodes, ${answered} checks; nodes hold no tokens of their own yet`);
  },
  { takesMs: rounds * 30_000 },
);
