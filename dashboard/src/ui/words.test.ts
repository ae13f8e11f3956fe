import { expect, it } from 'vitest';
import { agoInWords, lasting, shortCount, waitInWords } from './words.ts';

it('tells a moment from now', () => {
  expect([-5000, 5000, -120_000, 7_200_000, -86_400_000].map(agoInWords)).toEqual([
    'just now',
    'in a moment',
    '2 minutes ago',
    'in 2 hours',
    'yesterday',
  ]);
});

it('tells what is left in its two largest parts, rounded up', () => {
  expect([0, 1, 61_000, 3_600_000, 187_200_000].map(lasting)).toEqual([
    '0 s',
    '1 s',
    '1 min 1 s',
    '1 h',
    '2 d 4 h',
  ]);
});

it('never tells a wait that is too short', () => {
  expect([0.2, 340, 1250, 59_950, 90_000].map(waitInWords)).toEqual([
    '1 ms',
    '340 ms',
    '1.3 s',
    '60 s',
    '1 min 30 s',
  ]);
});

it('shortens large numbers only', () => {
  expect([999, 9999, 12_345, 2_500_000].map(shortCount)).toEqual(['999', '9,999', '12.3K', '2.5M']);
});
