import { RedisEngine, fromIoredis } from 'sluice';
import type { Redis } from 'ioredis';
import type { BoundLimit, DecideCall, DecideResult, Question } from '../limiter/src/core/engine.ts';
import { bucket, limitOf } from './limits.ts';

export type Features = { readonly epoch: boolean; readonly ledger: boolean };

export const epoch = { tenant: 1, shared: 1 };
const limit = await limitOf(bucket);
let made = 0;

/** One prefix each, so that contenders on one server share no counter. */
export function openEngine(redis: Redis, prefix: string): RedisEngine {
  return new RedisEngine(fromIoredis(redis), { prefix });
}

export function questionOf(subject: string, { ledger }: Features): Question {
  made += 1;
  const limits: BoundLimit[] = [{ limit, parts: ['api', subject], cost: 1 }];
  const question = { id: `q${made}`, limits, peek: false };
  return ledger ? { ...question, ledgerLabel: 'pro' } : question;
}

export async function decide(
  engine: Pick<RedisEngine, 'decide'>,
  call: Omit<DecideCall, 'snapshot'>,
  features: Features,
): Promise<void> {
  requireAllowed(await engine.decide(features.epoch ? { ...call, snapshot: { epoch } } : call));
}

function requireAllowed(result: DecideResult): void {
  if (result.kind !== 'answered') throw new Error(`the engine answered: ${result.kind}`);
  for (const answer of result.answers) {
    if (answer.kind !== 'decided' || !answer.allowed) throw new Error('a check was refused');
  }
}
