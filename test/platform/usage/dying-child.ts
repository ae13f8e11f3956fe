// A node's part in usage, in a process that dies at a step: it has calls decided, writes down what
// was refused, and moves the ledger to the database.

import type { ParsedCheck } from '../../../limiter/src/core/check.ts';
import { Decision } from '../../../limiter/src/core/decision.ts';
import { fromIoredis, RedisEngine } from '../../../limiter/src/engines/redis/index.ts';
import { Drainer } from '../../../platform/src/control/usage/drainer.ts';
import { openDatabase } from '../../../platform/src/database/index.ts';
import { Recorder } from '../../../platform/src/decide/recorder.ts';
import { openRedis } from '../../servers/connect.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import type { Dying } from './dying.ts';

const given = JSON.parse(process.argv[2] ?? '') as Dying;
const { databaseUrl, redisUrl, prefix, tenantId, step, calls, limit } = given;

let isDraining = false;
const dieAt = (name: Dying['step']) => {
  if (isDraining && name === step) process.kill(process.pid, 'SIGKILL');
};

const statements: readonly (readonly [RegExp, Dying['step']])[] = [
  [/FROM ledger_positions.*FOR UPDATE/s, 'locked'],
  [/INSERT INTO usage_counts/, 'counted'],
  [/^commit/, 'committed'],
];

const database = await openDatabase({
  url: databaseUrl,
  onQuery: ({ query }) => {
    for (const [pattern, name] of statements) if (pattern.test(query.sql)) dieAt(name);
  },
});
const engine = new RedisEngine(fromIoredis(openRedis(redisUrl)), { prefix });
const tenant = { id: tenantId, generation: 0 };

const check: ParsedCheck = {
  resource: 'GET:/orders',
  subject: 'ann',
  tenant: tenantId,
  key: null,
  cost: 1,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
};
// Its position is there from before, so that it is locked the first time.
await new Drainer(database.db, engine).drain(tenant);
const recorder = new Recorder({ engine });
const counting = limitOf({ algorithm: 'fixed_window', name: 'm', limit, window: '1 day' });
for (let call = 0; call < calls; call += 1) {
  const asked = question([bound(counting)], { ledgerLabel: '* m' });
  const result = await engine.decide({ tenant, questions: [asked] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error('not decided');
  const basis = { basis: 'exact', degradedReason: null } as const;
  recorder.note(tenant, asked, new Decision({ check, question: asked, answer, ...basis }));
}

isDraining = true;
await recorder.flush();
dieAt('flushed');
const drainer = new Drainer(database.db, {
  takeLedger: async (of, batch) => {
    const taking = engine.takeLedger(of, batch);
    dieAt('taking');
    const taken = await taking;
    dieAt('taken');
    return taken;
  },
  dropLedger: async (of, batch) => {
    await engine.dropLedger(of, batch);
    dieAt('dropped');
  },
});
await drainer.drain(tenant);
process.exit(0);
