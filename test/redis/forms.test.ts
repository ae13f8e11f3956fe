import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedWindow, tokenBucket } from 'sluice';
import { systemClock } from '../../limiter/src/core/clock.ts';
import type { Question } from '../../limiter/src/core/engine.ts';
import { EncodedCall } from '../../limiter/src/engines/redis/encode.ts';
import { Keys } from '../../limiter/src/engines/redis/keys.ts';
import { LimitTexts } from '../../limiter/src/engines/redis/limit-text.ts';
import { bound, limitOf } from '../support/limits.ts';

const keys = new Keys({ prefix: 'sl', secret: 'a secret' });
const context = { keys, texts: new LimitTexts(systemClock), allowances: null, packs: false };
const tenant = { id: 'acme' };
const window = limitOf(fixedWindow({ limit: 10, window: '1 min', per: ['subject'] }));
const bucket = limitOf(
  tokenBucket({
    capacity: 5,
    refillPerSecond: 1,
    per: ['subject'],
    blockFor: '1 min',
  }),
);

/** Each differs from each other by one thing that its form says. */
const shapes = [
  { limits: [{ limit: window, cost: 1 }], peek: false, label: undefined },
  { limits: [{ limit: window, cost: 2 }], peek: false, label: undefined },
  { limits: [{ limit: window, cost: 1 }], peek: true, label: undefined },
  { limits: [{ limit: window, cost: 1 }], peek: false, label: 'GET:/a window' },
  { limits: [{ limit: window, cost: 1 }], peek: false, label: 'GET:/b window' },
  { limits: [{ limit: bucket, cost: 1 }], peek: false, label: undefined },
  {
    limits: [
      { limit: window, cost: 1 },
      { limit: bucket, cost: 1 },
    ],
    peek: false,
    label: undefined,
  },
];

function questionOf(shape: number, subject: string): Question {
  const { limits, peek, label } = shapes[shape] as (typeof shapes)[number];
  return {
    id: 'id',
    peek,
    limits: limits.map(({ limit, cost }) => bound(limit, cost, [subject])),
    ledgerLabel: label,
  };
}

/** As `decide.lua` reads them: of each question the number of its form and the keys of its limits. */
function read({ args, keys: sent }: EncodedCall): { form: number; keys: string[] }[] {
  const numbers = JSON.parse(args[0] as string) as (number | string)[];
  const sizes = new Map<number, number>();
  const questions: { form: number; keys: string[] }[] = [];
  for (let at = 2; at < numbers.length;) {
    const [form, before, times] = numbers.slice(at, at + 3) as [number, number, number];
    at += 3;
    if (!sizes.has(form)) {
      const [flags, count] = numbers.slice(at, at + 2) as [string, number];
      at += flags[1] === '1' ? 3 : 2;
      let size = 0;
      for (let limit = 0; limit < count; limit += 1) {
        const hasPenalty = ((numbers[at + 1] as number) & 4) > 0;
        at += hasPenalty ? 10 : 7;
        size += hasPenalty ? 2 : 1;
      }
      sizes.set(form, size);
    }
    const size = sizes.get(form) ?? 0;
    for (let nth = 0; nth < times; nth += 1) {
      const from = before + nth * size;
      questions.push({ form, keys: sent.slice(from, from + size) });
    }
  }
  return questions;
}

test('questions of a call share a form if and only if they ask alike, and have keys of their own', () => {
  const asked = fc.record({
    shape: fc.nat({ max: shapes.length - 1 }),
    subject: fc.constantFrom('ann', 'bob', 'cid'),
    // Mostly several in a row ask alike.
    times: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 12 }), (list) => {
      const all = list.flatMap(({ times, ...one }) => Array.from({ length: times }, () => one));
      const questions = all.map(({ shape, subject }) => questionOf(shape, subject));
      const found = read(new EncodedCall({ tenant, questions }, context));
      expect(found).toHaveLength(all.length);
      const forms = new Map<number, number>();
      for (const [at, { shape, subject }] of all.entries()) {
        const { form, keys: own } = found[at] as (typeof found)[number];
        expect(forms.get(shape) ?? form).toBe(form);
        forms.set(shape, form);
        const alone = new EncodedCall({ tenant, questions: [questionOf(shape, subject)] }, context);
        expect(own).toEqual(read(alone)[0]?.keys);
        expect(own).not.toHaveLength(0);
      }
      expect(new Set(forms.values()).size).toBe(forms.size);
    }),
  );
});
