import { expect, test } from 'vitest';
import { view } from '../../limiter/src/core/view.ts';
import { startRedis } from '../servers/redis.ts';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { openStore } from '../support/store.ts';

const checks = 20_000;
const inFlight = 64;

test('with the script cache flushed all the time nothing fails or is charged twice', async () => {
  const server = await startRedis();
  const store = openStore({ url: server.url });
  const flusher = openRedis(server.url);
  const { engine } = store;
  const tenant = { id: 'flushed' };
  const limit = limitOf({ algorithm: 'fixed_window', limit: 15_000, window: '365 days' });
  let [asked, admitted, flushes] = [0, 0, 0];
  const flushing = async (): Promise<void> => {
    await flusher.script('FLUSH');
    flushes += 1;
    if (asked < checks) await flushing();
  };
  const lane = async () => {
    while (asked < checks) {
      asked += 1;
      const result = await engine.decide({ tenant, questions: [question([bound(limit)])] });
      const answer = result.kind === 'answered' ? result.answers[0] : undefined;
      if (answer?.kind !== 'decided') throw new Error('not decided');
      if (answer.allowed) admitted += 1;
    }
  };
  await Promise.all([flushing(), ...Array.from({ length: inFlight }, lane)]);
  const { nowUs, readings } = await engine.inspect(tenant, [bound(limit, 0)]);
  const [reading] = readings;
  expect(flushes).toBeGreaterThan(50);
  expect(admitted).toBe(15_000);
  expect(reading && view(bound(limit, 0), reading, nowUs).used).toBe(admitted);
  flusher.disconnect();
  store.close();
  await server.stop();
});
