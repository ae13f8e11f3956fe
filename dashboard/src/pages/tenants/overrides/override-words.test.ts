import { describe, expect, it } from 'vitest';
import { attributesIn, numbersInWords, whomInWords } from './override-words.ts';

describe('an override in words', () => {
  it('says what is instead', () => {
    expect(numbersInWords({ limit: 5000, window_seconds: 60 })).toBe('5,000 in 60 s');
    expect(numbersInWords({ bucket_capacity: 40, refill_rate_per_sec: 2.5 })).toBe(
      '40 at once, 2.5 back per second',
    );
  });

  it('says for whom', () => {
    const any = { subject: null, resource: null, attributes: {} };
    expect(whomInWords(any)).toBe('everybody');
    expect(whomInWords({ ...any, subject: 'user:42', resource: 'POST:/search' })).toBe(
      'user:42 at POST:/search',
    );
    expect(whomInWords({ ...any, attributes: { region: 'eu' } })).toBe('region=eu');
  });
});

it('reads attributes line by line, and none where a line is no pair', () => {
  expect(attributesIn(' region = eu \n\nnote=a = b')).toEqual({ region: 'eu', note: 'a = b' });
  expect(attributesIn('')).toEqual({});
  expect(attributesIn('region')).toBeNull();
});
