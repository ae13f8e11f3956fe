// The six algorithms, each with numbers that let about eight calls through in four seconds.

import {
  concurrency,
  fixedWindow,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from 'sluice';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} numbers
 * @property {string} sentence
 * @property {import('sluice').LimitInput} limit
 * @property {number} callMs how long a call that was let in stays open
 */

/** @type {readonly Row[]} */
export const rows = [
  {
    name: 'token bucket',
    numbers: '8, and 2 a second',
    sentence: 'A burst until the bucket is empty, then the refill rate.',
    limit: tokenBucket({ capacity: 8, refillPerSecond: 2 }),
    callMs: 0,
  },
  {
    name: 'fixed window',
    numbers: '8 in 4 s',
    sentence: 'A count per window: twice the limit around an edge.',
    limit: fixedWindow({ limit: 8, window: '4 s' }),
    callMs: 0,
  },
  {
    name: 'sliding log',
    numbers: '8 in any 4 s',
    sentence: 'Remembers each call: exact in every four seconds.',
    limit: slidingWindow({ limit: 8, window: '4 s' }),
    callMs: 0,
  },
  {
    name: 'sliding counter',
    numbers: '8 in 4 s, weighted',
    sentence: 'Two counts, not a log: the window before fades out.',
    limit: slidingWindowCounter({ limit: 8, window: '4 s' }),
    callMs: 0,
  },
  {
    name: 'concurrency',
    numbers: '3 open, 1 s each',
    sentence: 'Counts open calls: one is released, the next gets in.',
    limit: concurrency({ maxConcurrent: 3, staleAfter: '1 min' }),
    callMs: 1000,
  },
  {
    name: 'quota',
    numbers: '20 an hour',
    sentence: 'A calendar allowance: back when the next hour begins.',
    limit: quota({ limit: 20, period: 'hour' }),
    callMs: 0,
  },
];
