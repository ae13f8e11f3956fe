import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { Processes } from '../races/processes.ts';
import { processCount, single, sum } from '../races/running.ts';
import { campaign, sized } from './rig/campaign.ts';

const checks = sized({ short: 1000, long: 200_000 });
const timeoutMs = 60_000 + checks * 5;

campaign(
  'T01',
  'Eight processes race for one key',
  async (report, cleanUp) => {
    const processes = await Processes.start(processCount);
    cleanUp(() => processes.stop());
    const capacity = 5000;
    const limit: LimitInput = { algorithm: 'token_bucket', capacity, refillPerSecond: 1 };
    const job = { kind: 'single', checks, limit } as const;
    const results = await processes.run(single(), job, { timeoutMs });
    const spanUs =
      Math.max(...results.map(({ lastUs }) => lastUs)) -
      Math.min(...results.map(({ firstUs }) => firstUs));
    const admitted = sum(results.map((one) => one.admitted));
    const exact = capacity + Math.floor(spanUs / 1e6);
    report.exactly('over-admission', Math.max(0, admitted - exact), 0);
    report.exactly('under-admission', Math.max(0, exact - admitted), 0);
    report.note(`${processCount} × ${checks} calls, ${admitted} let in`);
  },
  { takesMs: timeoutMs },
);
