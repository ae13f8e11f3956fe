import { describe, expect, it } from 'vitest';
import { readNumber } from './bind.ts';
import { readCosts, readList, readWhen, showList, showPairs, showWhen } from './lines.ts';

describe('what is written in lines', () => {
  it('is a list, without what is empty; nothing at all is left out', () => {
    expect(readList(' GET:/a \n\nGET:/b\n')).toEqual(['GET:/a', 'GET:/b']);
    expect(readList(' \n')).toBeUndefined();
    expect(showList(['GET:/a', 'GET:/b'])).toBe('GET:/a\nGET:/b');
  });

  it('is attributes with the values that are meant', () => {
    const when = { 'attributes.feature': ['beta', 'new'], 'attributes.team': ['eng'] };
    expect(readWhen('feature = beta, new\nteam=eng')).toEqual(when);
    expect(showWhen(when)).toBe('feature = beta, new\nteam = eng');
  });

  it('is what a call costs; what is no number stays, for the service’s words about it', () => {
    expect(readCosts('elements = 50\ntokens = many\nrows =')).toEqual({
      elements: 50,
      tokens: 'many',
      rows: '',
    });
    expect(showPairs({ elements: 50 })).toBe('elements = 50');
  });
});

describe('what is written in a field for a number', () => {
  it.each([
    ['', undefined],
    [' 12 ', 12],
    ['1.', 1],
    ['0.50', 0.5],
    ['12a', '12a'],
    ['2026-01-15', '2026-01-15'],
    ['Infinity', 'Infinity'],
  ])('%j is %j', (text, value) => {
    expect(readNumber(text)).toBe(value);
  });
});
