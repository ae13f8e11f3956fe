import { expect, it } from 'vitest';
import { perInWords } from './counters.ts';

it('says what one counter is for, and leaves out what goes without saying', () => {
  expect(perInWords(['tenant'])).toBe('per tenant');
  expect(perInWords(['tenant', 'subject', 'resource'])).toBe('per subject and resource');
  expect(perInWords(['attributes.region'])).toBe('per region');
});
