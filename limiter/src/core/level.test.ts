import { expect, it } from 'vitest';
import { levelOf } from './level.ts';
import type { LimitInput } from './limit-input.ts';
import type { Limit, PerPart } from './limit.ts';
import { parseLimit } from './parse-limit.ts';

function levelFor(per: readonly PerPart[], input: Partial<LimitInput> = {}) {
  const numbers = { algorithm: 'fixed_window', limit: 5, window: '1 s', ...input };
  const limit = parseLimit({ ...numbers, per } as LimitInput, { definedBy: 'test', field: 'l' });
  const { name, part } = levelOf(limit as Limit);
  return `${name} by ${part}`;
}

it.each<[PerPart[], string]>([
  [['tenant'], 'tenant by tenant'],
  [['tenant', 'resource'], 'endpoint by resource'],
  [['key'], 'attribute by key'],
  [['key', 'resource'], 'attribute by key'],
  [['key', 'subject'], 'user by subject'],
  [['subject', 'resource'], 'user by subject'],
  [['subject', 'attributes.ip'], 'attribute by attributes.ip'],
])('%s is the level of its narrowest part: %s', (per, level) => {
  expect(levelFor(per)).toBe(level);
});
