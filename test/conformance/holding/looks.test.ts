// To look takes off what has run out meanwhile, and does nothing else.

import { expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { onEveryEngine } from '../rig.ts';

const window = { name: 'w', algorithm: 'fixed_window' } as const;
const long = limitOf({ ...window, limit: 10, window: '10 s' });
const short = limitOf({ ...window, limit: 5, window: '3 s' });

onEveryEngine('a look at a counter with holds', (rig) => {
  it('begins no window, by numbers that another look may not have', async () => {
    const here = rig.elsewhere();
    // A moment at which windows of both lengths begin.
    rig.clock.advanceMs(30_000 - ((rig.clock.nowUs / 1000) % 30_000));
    const startUs = rig.clock.nowUs;
    rig.clock.advanceMs(2500);
    const first = { ttlMs: 1000, onExpiry: 'refund' } as const;
    await here.askWith({ id: 'a', reserve: first }, bound(long));
    rig.clock.advanceMs(500);
    // In a window of its own, for the limit is shorter now.
    const second = { ttlMs: 3100, onExpiry: 'refund' } as const;
    await here.askWith({ id: 'b', reserve: second }, bound(short));
    // What is given back finds both, and the first to run out is of the window before.
    const { id, nowUs: chargedAtUs } = await here.ask(bound(short));
    const limits = [bound(short, 0)];
    await here.engine.refund(here.tenant, { id, chargedAtUs, limits });
    rig.clock.advanceMs(3000);
    // By now the first has run out, and the window of the second is over.
    expect(await here.look(bound(short))).toMatchObject({
      used: 0,
      resetAtUs: startUs + 9_000_000,
    });
    expect(await here.look(bound(long))).toMatchObject({
      used: 0,
      resetAtUs: startUs + 10_000_000,
    });
  });
});
