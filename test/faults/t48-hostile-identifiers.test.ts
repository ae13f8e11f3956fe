import { limitOf, question } from '../support/limits.ts';
import { openClusterStore } from '../support/store.ts';
import { campaign } from './rig/campaign.ts';

const hostile = [
  '',
  ' ',
  'x'.repeat(1_000_000),
  '\u0000',
  'a\u0000b',
  'a\nb',
  'a\r\nFLUSHALL\r\n',
  '{}',
  '{a}',
  '}{',
  '{tenant}',
  'a:b',
  '*',
  '\u00e9',
  'e\u0301',
  '\u0430dmin',
  'admin',
  '\u202eadmin',
  '\ud800',
  '😀',
  '$(id)',
  "'; DROP TABLE tenants; --",
];
const limit = limitOf({ algorithm: 'fixed_window', limit: 10, window: '1 h' });

campaign('T48', 'Hostile identifiers', async (report, cleanUp) => {
  const store = openClusterStore({ allowances: null });
  cleanUp(() => store.close());
  const { engine, redis, prefix } = store;
  // The empty one names no tenant.
  const tenants = hostile.filter((id) => id !== '');
  const keys = async () => {
    const found = await Promise.all(redis.nodes('master').map((one) => one.keys(`${prefix}*`)));
    return found.flat();
  };
  let collisions = 0;
  const slotsOf = new Map<string, Set<number>>();
  const lengths = new Set<number>();
  const seen = new Set<string>();
  for (const id of tenants) {
    for (const subject of hostile) {
      const questions = [question([{ limit, parts: [subject], cost: 1 }])];
      const result = await engine.decide({ tenant: { id }, questions });
      const answer = result.kind === 'answered' ? result.answers[0] : undefined;
      const state = answer?.kind === 'decided' ? answer.readings[0]?.state : undefined;
      // Whoever is the first to call has used one.
      if (!JSON.stringify(state).includes('"used":1')) collisions += 1;
    }
    const slots = new Set<number>();
    for (const key of await keys()) {
      if (seen.has(key)) continue;
      seen.add(key);
      lengths.add(key.length);
      slots.add(await redis.cluster('KEYSLOT', key));
    }
    slotsOf.set(id, slots);
  }
  const expected = tenants.length * hostile.length;
  const spread = [...slotsOf.values()].filter((slots) => slots.size !== 1).length;
  report.exactly('identities that share a counter', collisions, 0);
  report.exactly('counters missing', expected - seen.size, 0);
  report.exactly('lengths of keys', lengths.size, 1);
  report.exactly('tenants in more than one slot', spread, 0);
  report.note(`${tenants.length} tenants × ${hostile.length} subjects, some of a megabyte`);
});
