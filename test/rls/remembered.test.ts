import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { bound, limitOf } from '../support/limits.ts';
import { onEachEngine } from './rig.ts';

/** By default it is remembered for a day at least: too long for what every request may leave. */
const rememberMs = 200;

onEachEngine('that it was done is remembered only as long as asked for', (rig) => {
  const limits = [bound(limitOf({ algorithm: 'fixed_window', limit: 9, window: '1d' }), 1)];
  const id = 'once';

  it.each(['refund', 'debit'] as const)('a %s', async (verb) => {
    const tenant = { id: randomUUID() };
    const chargedAtUs = rig.clock.nowUs;
    const again = () =>
      verb === 'refund'
        ? rig.engine.refund(tenant, { id, chargedAtUs, limits, rememberMs })
        : rig.engine.debit(tenant, { id, limits, rememberMs });
    expect(await again()).toBe(true);
    expect(await again()).toBe(false);
    // In process the clock is ours; a server forgets by its own.
    rig.clock.advanceMs(rememberMs);
    await vi.waitFor(async () => expect(await again()).toBe(true));
  });
});
