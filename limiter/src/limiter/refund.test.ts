import { expect, it } from 'vitest';
import { MemoryEngine } from '../engines/memory/index.ts';
import { createLimiter } from './create-limiter.ts';
import { fixedWindow } from './limits.ts';

it('refunds that nobody sends again take no room for a day', async () => {
  let nowUs = Date.UTC(2026, 0, 15) * 1000;
  const engine = new MemoryEngine({ clock: () => nowUs, recordsPerTenantMax: 1 });
  const limiter = createLimiter({ engine, limits: [fixedWindow({ limit: 2, window: '1 h' })] });
  const charged = () => limiter.check({ resource: 'r', subject: 's' });
  for (let call = 0; call < 3; call += 1) {
    expect(await limiter.refund(await charged(), {}, { rememberMs: 1000 })).toBe(true);
    nowUs += 2_000_000;
  }
  expect(await limiter.refund(await charged())).toBe(true);
  nowUs += 2_000_000;
  await expect(limiter.refund(await charged())).rejects.toMatchObject({
    reason: 'too many refunds',
  });
});
