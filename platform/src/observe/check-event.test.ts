import { describe, expect, it } from 'vitest';
import { algorithmOf, outcomeOf } from './check-event.ts';
import {
  allowed,
  blocked,
  decisionOf,
  storeFailed,
  windowOf,
  withFacts,
  wouldBlock,
} from './test-events.ts';

describe('the outcome of a decision', () => {
  it.each([
    ['allowed', 'allowed', allowed],
    ['allowed without any limit', 'allowed', () => decisionOf([])],
    ['refused', 'blocked', blocked],
    ['allowed over a warn limit', 'warned', () => wouldBlock('warn')],
    ['allowed over a shadow limit', 'shadowed', () => wouldBlock('shadow')],
    [
      'allowed over a warn and a shadow limit',
      'warned',
      () => decisionOf([windowOf('s', 1, 'shadow'), windowOf('w', 1, 'warn')], 2),
    ],
    [
      'refused over a shadow limit too',
      'blocked',
      () => decisionOf([windowOf('all', 1), windowOf('s', 1, 'shadow')], 2),
    ],
    ['let through by a failed store', 'degraded', () => storeFailed('open')],
    ['refused by a failed store', 'blocked', () => storeFailed('closed')],
    ['counted locally', 'degraded', () => withFacts(allowed(), { basis: 'local' })],
    [
      'exact but not recorded',
      'degraded',
      () => withFacts(allowed(), { degradedReason: 'idempotency_full' }),
    ],
    [
      'counted locally, over a warn limit',
      'degraded',
      () => withFacts(wouldBlock('warn'), { basis: 'local' }),
    ],
    ['refused locally', 'blocked', () => withFacts(blocked(), { basis: 'local' })],
  ] as const)('%s is %s', (_, outcome, decide) => {
    expect(outcomeOf(decide())).toBe(outcome);
  });
});

describe('the algorithm', () => {
  it('is that of the limit shown', () => {
    const wide = windowOf('wide', 100);
    const bucket = {
      algorithm: 'token_bucket',
      name: 'b',
      capacity: 3,
      refillPerSecond: 1,
    } as const;
    expect(algorithmOf(decisionOf([wide, bucket]))).toBe('token_bucket');
    expect(algorithmOf(decisionOf([windowOf('narrow', 2), bucket], 3))).toBe('fixed_window');
  });

  it('is none where no limit is shown', () => {
    expect(algorithmOf(decisionOf([]))).toBeNull();
    expect(algorithmOf(storeFailed('closed'))).toBeNull();
  });
});
