import { InvalidInput } from 'sluice';
import { limitFromWire } from 'sluice/contract';
import { describe, expect, it } from 'vitest';
import { parsePlan } from './plan.ts';
import { fromTemplate, templates } from './templates.ts';

const sizeOf = (name: string, limit: string) => {
  const found = templates.find((one) => one.name === name)?.limits;
  const one = found?.find((each) => each.name === limit);
  return one && 'limit' in one ? one.limit : undefined;
};

describe('the templates', () => {
  it.each([
    ['free', 60, 20, 5, 100],
    ['starter', 300, 100, 50, 500],
    ['business', 3000, 500, 200, 5000],
    ['enterprise', 10_000, 2000, 1000, 50_000],
  ])('%s has %i requests, %i searches, %i exports and %i units', (name, ...sizes) => {
    const names = ['requests', 'searches', 'exports', 'units'];
    expect(names.map((limit) => sizeOf(name, limit))).toEqual(sizes);
  });

  it.each(templates)('$name is a plan as it is stored', ({ name, limits }) => {
    expect(parsePlan({ name, limits })).toEqual({ name, limits });
    expect(parsePlan(fromTemplate({ template: name }))).toEqual({ name, limits });
    for (const limit of limits) expect(() => limitFromWire(limit, 'x')).not.toThrow();
  });

  it('say for people what they have', () => {
    expect(templates.map(({ about }) => about)).toEqual([
      expect.stringContaining('60 requests'),
      expect.stringContaining('300 requests'),
      expect.stringContaining('3,000 requests'),
      expect.stringContaining('10,000 requests'),
    ]);
  });
});

describe('a plan from a template', () => {
  it('has a name of its own if it says one', () => {
    expect(fromTemplate({ template: 'free', name: 'trial' })).toMatchObject({ name: 'trial' });
    expect(fromTemplate({ name: 'x', limits: [] })).toEqual({ name: 'x', limits: [] });
  });

  it.each([
    [{ template: 'gold' }, 'template'],
    [{ template: null }, 'template'],
    [{ template: 'free', limits: [] }, 'limits'],
    [{ template: 'free', algorithm: 'token_bucket' }, 'algorithm'],
  ])('must not be %j', (input, field) => {
    expect(() => fromTemplate(input)).toThrow(InvalidInput);
    expect(() => fromTemplate(input)).toThrow(expect.objectContaining({ field }));
  });
});
