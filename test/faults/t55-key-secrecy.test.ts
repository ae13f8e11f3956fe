import { mint, opens, seal } from '../../platform/src/control/credentials/credential.ts';
import { campaign, sized } from './rig/campaign.ts';
import { Moments, welchT } from './rig/statistics.ts';

const samples = sized({ short: 60_000, long: 1_000_000 });
/** As usual in tests for leaks: above this, two populations differ. */
const tMax = 4.5;
/** Beyond this many times the least, something else had the processor. */
const outlierFactor = 3;

// Where keys may be found is looked into every day, by test/platform/keys.test.ts and traces.test.ts.
campaign(
  'T55',
  'Time that comparing a secret takes',
  async (report) => {
    const { secret } = mint('key', 'mark');
    const sealed = seal(secret);
    const swap = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
    const guesses = {
      'wrong from the first letter': swap(secret, 0),
      'wrong in the last': swap(secret, 42),
    };
    const times = Object.entries(guesses).map(() => new Moments());
    const texts = Object.values(guesses);
    for (let at = 0; at < 20_000; at += 1) opens(texts[at % 2] as string, sealed);
    let leastNs = Infinity;
    for (let at = 0; at < samples; at += 1) {
      // At random, so that nothing periodic falls on one of them.
      const which = Math.random() < 0.5 ? 0 : 1;
      const startNs = process.hrtime.bigint();
      opens(texts[which] as string, sealed);
      const tookNs = Number(process.hrtime.bigint() - startNs);
      leastNs = Math.min(leastNs, tookNs);
      if (tookNs < outlierFactor * leastNs) times[which]?.add(tookNs);
    }
    const [first, last] = times as [Moments, Moments];
    report.atMost('t-statistic', Math.abs(welchT(first, last)), tMax);
    report.note(`${samples} comparisons: ${Object.keys(guesses).join(' against ')}`);
  },
  { takesMs: 60_000 },
);
