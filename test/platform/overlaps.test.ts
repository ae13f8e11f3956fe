import fc from 'fast-check';
import { requirePattern } from 'sluice/contract';
import { describe, expect, it } from 'vitest';
import { overlaps } from '../../platform/src/control/patterns.ts';
import { Pattern } from '../../platform/src/snapshot/pattern.ts';

/** Every text of up to seven of three letters, one of which parts segments. */
const resources = everyText(['a', 'b', '/'], 7);

function everyText(letters: readonly string[], length: number): readonly string[] {
  const texts = [''];
  for (let from = 0, size = 1; size <= length; size += 1) {
    const end = texts.length;
    for (; from < end; from += 1) texts.push(...letters.map((letter) => `${texts[from]}${letter}`));
  }
  return texts;
}

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant('{x}') },
);
const pattern = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([segments, open]) => `${segments.join('/')}${open ? '/*' : ''}`)
  .filter((text) => text !== '' && isPattern(text));

function isPattern(text: string): boolean {
  try {
    requirePattern('x', text);
    return true;
  } catch {
    return false;
  }
}

/** Patterns this short meet, if at all, in a resource that is no longer than these. */
const short = pattern.filter((text) => text.replaceAll(/\{x\}/g, 'x').length <= 4);

describe('what is said of two patterns', () => {
  it('is what a search through all resources finds', () => {
    fc.assert(
      fc.property(short, short, (one, other) => {
        const [a, b] = [new Pattern(one), new Pattern(other)];
        const met = resources.some((resource) => a.matches(resource) && b.matches(resource));
        expect([one, other, overlaps(one, other)]).toEqual([one, other, met]);
      }),
      { numRuns: 400 },
    );
  });

  it('never denies a resource that both match', () => {
    const resource = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, pattern, resource, (one, other, text) => {
        fc.pre(new Pattern(one).matches(text) && new Pattern(other).matches(text));
        expect(overlaps(one, other)).toBe(true);
      }),
      { numRuns: 100, maxSkipsPerRun: 2000 },
    );
  });
});
