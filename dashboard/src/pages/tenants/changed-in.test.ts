import { expect, it } from 'vitest';
import { changedIn } from './changed-in.ts';

it('sends what was changed, and nothing that is as it was or was left as it is', () => {
  const before = { name: 'a', scopes: ['check'], expires_at: undefined, reason: 'x' };
  expect(changedIn(before, { ...before })).toEqual({});
  const after = { ...before, scopes: ['check', 'usage'], expires_at: null };
  expect(changedIn(before, after)).toEqual({ scopes: ['check', 'usage'], expires_at: null });
});
